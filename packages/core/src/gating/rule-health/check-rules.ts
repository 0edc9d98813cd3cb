import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { selectPresent, walletsInCommunity } from '../../communities/memberships/index.ts';
import { type CommunityRuleRow, selectRules } from '../../communities/rule-records/index.ts';
import type { Answer, Question } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  decideMember,
  fetchFacts,
  type OpenRules,
  openRules,
  readableRules,
  readTokenLists,
} from '../evaluation/index.ts';
import {
  assetLeavesOf,
  costOf,
  questionsOf,
  type Rule,
  type RuleWallet,
  readSavedRule,
  tokenListUrlsOf,
  walletNamespaceOf,
} from '../rules/index.ts';
import { findProblemsOfRules, type HealthState, notAnswering, type RuleProblem } from './problems.ts';
import { type CountedRule, claimDue, isCountDue, saveChecked, saveCounts } from './queries.ts';

export type CheckContext = Pick<
  Context,
  'clock' | 'db' | 'egress' | 'follower' | 'holdings' | 'settings' | 'tokenMetadata'
>;

/** The maximum number of rules checked in one run, and of reads for all of them together. */
const rulesAtOnce = 100;
const mostReads = 1_000;
/** Healthy rules are checked again after this time, rules with problems sooner. */
const fineSeconds = 30 * 60;
const brokenSeconds = 3 * 60;
const readTimeoutMs = 30_000;

/**
 * Checks the rules of a community that are due. Returns whether there may be more, and whether any changed its state.
 */
export async function checkDueRules(
  ctx: CheckContext,
  communityId: string,
  signal: AbortSignal,
): Promise<{ isMore: boolean; isChanged: boolean }> {
  const now = ctx.clock();
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const claim = { now, until: later(brokenSeconds), limit: rulesAtOnce };
  const claimed = await claimDue(ctx.db.system, communityId, claim);
  const community = claimed.length === 0 ? undefined : await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) return { isMore: false, isChanged: false };
  const rows = await selectRules(ctx.db.system, community.id);
  const before = new Map(claimed.map((row) => [row.rule_id, row]));
  const due = rows.filter(({ id }) => before.has(id));
  const wallets = await findProbes(ctx, community);
  const patience = AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]);
  const checks = await checkRules(ctx, due, wallets, patience);
  signal.throwIfAborted();
  let isChanged = false;
  for (const [index, row] of due.entries()) {
    const { problems, reads, blocks } = checks[index] ?? notChecked;
    const wasDecided = before.get(row.id)?.evaluated_at != null;
    const [worst] = problems.map((problem) => inUse(problem, wasDecided)).toSorted(bySeverity);
    const state: HealthState = worst?.state ?? 'ok';
    const checked = {
      ruleId: row.id,
      updatedAt: row.updated_at,
      state,
      cause: worst === undefined ? null : `${worst.code}:${worst.about}`,
      problems: problems
        .slice(0, 10)
        .map(({ code, message, action }) => ({ code, message, ...(action && { action }) })),
      reads,
      blocks,
      dueAt: later(state === 'ok' ? fineSeconds : brokenSeconds),
    };
    isChanged = (await saveChecked(ctx.db.system, community.id, checked, now)) || isChanged;
  }
  return { isMore: claimed.length === rulesAtOnce, isChanged };
}

/** If a source does not respond, it is an outage for a rule that could be decided before. */
function inUse(problem: RuleProblem, wasDecided: boolean): RuleProblem {
  return problem.state === 'unknown' && problem.code !== 'not-checked' && wasDecided
    ? { ...problem, state: 'degraded' }
    : problem;
}

const severity: readonly HealthState[] = ['undecidable', 'degraded', 'unknown'];

function bySeverity(one: RuleProblem, other: RuleProblem): number {
  return severity.indexOf(one.state) - severity.indexOf(other.state);
}

interface Check {
  problems: RuleProblem[];
  reads: number;
  blocks: Record<string, string>;
}

const tooMany: RuleProblem = {
  code: 'not-checked',
  state: 'unknown',
  about: 'reads',
  message: 'This rule is checked in a later run, since it takes many reads.',
};

const notChecked: Check = { problems: [tooMany], reads: 0, blocks: {} };

/** Checks rules in the given order. Contracts and holdings of all of them are read together, chain by chain. */
async function checkRules(
  ctx: CheckContext,
  rows: readonly CommunityRuleRow[],
  wallets: readonly RuleWallet[],
  signal: AbortSignal,
): Promise<Check[]> {
  const rules = rows.map(({ definition }) => tryReading(definition));
  const readable = rules.filter((rule): rule is Rule => !('code' in rule));
  const found = await findProblemsOfRules(ctx, readable, signal);
  const sound = readable.filter((_, index) => found[index]?.length === 0);
  const problemsOf = new Map(readable.map((rule, index) => [rule, found[index] ?? []]));
  const lists = await readTokenLists(ctx, sound);
  const questions: Question[] = [];
  const asked = new Map<Rule, { from: number; to: number }>();
  for (const rule of sound) {
    const own = questionsOf(rule, wallets, { now: ctx.clock(), tokenLists: lists });
    const missing = tokenListUrlsOf(rule).filter((url) => !lists.has(url));
    if (missing.length > 0) problemsOf.set(rule, missing.map(noList));
    else if (questions.length + own.length > mostReads) problemsOf.set(rule, [tooMany]);
    else asked.set(rule, { from: questions.length, to: questions.push(...own) });
  }
  const answers = questions.length === 0 ? [] : await ctx.holdings.read(questions, { signal });
  return rules.map((rule) => {
    if ('code' in rule) return { problems: [rule], reads: 0, blocks: {} };
    const reads = costOf(rule, oneWalletEach(rule));
    const range = asked.get(rule);
    if (range === undefined) return { problems: problemsOf.get(rule) ?? [], reads, blocks: {} };
    const own = questions.slice(range.from, range.to);
    const received = answers.slice(range.from, range.to);
    const untried = namespacesOf(rule).filter((one) => !wallets.some(({ namespace }) => namespace === one));
    return {
      problems: [...findSilent(own, received), ...untried.map(noWallet)],
      reads,
      blocks: blocksOf(own, received),
    };
  });
}

function tryReading(definition: Record<string, unknown>): Rule | RuleProblem {
  try {
    return readSavedRule(definition);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The rule cannot be read.';
    return { code: 'unreadable', state: 'undecidable', about: 'rule', message, action: 'Edit the rule.' };
  }
}

function noList(url: string): RuleProblem {
  const host = URL.parse(url)?.host ?? 'its address';
  const message = `The list of token ids at ${host} could not be read.`;
  return {
    code: 'no-list',
    state: 'unknown',
    about: host,
    message,
    action: 'Make sure that the list can be downloaded.',
  };
}

function noWallet(namespace: string): RuleProblem {
  const message = `This rule was not tried yet: no member has linked a wallet of the kind "${namespace}".`;
  return { code: 'not-checked', state: 'unknown', about: namespace, message };
}

/** Groups unanswered questions into one problem per chain or service. */
function findSilent(questions: readonly Question[], answers: readonly Answer[]): RuleProblem[] {
  const silent = new Map<string, RuleProblem>();
  for (const [index, question] of questions.entries()) {
    const answer = answers[index];
    if (answer?.kind === 'read') continue;
    const problem = notAnswering(question, answer?.reason);
    if (!silent.has(problem.about)) silent.set(problem.about, problem);
  }
  return [...silent.values()];
}

function blocksOf(questions: readonly Question[], answers: readonly Answer[]): Record<string, string> {
  return Object.fromEntries(
    questions.flatMap(({ chain }, index) => {
      const answer = answers[index];
      return answer?.kind === 'read' && answer.block !== undefined ? [[chain, answer.block.number]] : [];
    }),
  );
}

function namespacesOf(rule: Rule): string[] {
  return [...new Set(assetLeavesOf(rule).map(({ asset }) => walletNamespaceOf(asset.chain)))];
}

function oneWalletEach(rule: Rule): RuleWallet[] {
  return namespacesOf(rule).map((namespace) => ({ namespace, address: `any ${namespace} wallet` }));
}

/** An unused address, for communities in which no EVM wallet is linked yet. */
const unusedAddress = '0x000000000000000000000000000000000000dead';
const membersLookedAt = 200;

/** Finds one linked wallet of each namespace to test rules with. The holdings read for it are not stored. */
async function findProbes(ctx: CheckContext, community: CommunityRow): Promise<RuleWallet[]> {
  const members = await selectPresent(ctx.db.system, community.id, '', membersLookedAt);
  const ids = members.filter(({ is_bot }) => !is_bot).map(({ user_id }) => user_id);
  const linked = await walletsInCommunity(ctx.db.system, community.id, ids, ctx.settings);
  const probes = new Map<string, RuleWallet>([['evm', { namespace: 'evm', address: unusedAddress }]]);
  for (const wallet of [...linked.values()].flat())
    if (!wallet.contractChain && !isFound(probes, wallet)) probes.set(wallet.namespace, wallet);
  return [...probes.values()];
}

function isFound(probes: ReadonlyMap<string, RuleWallet>, { namespace }: RuleWallet): boolean {
  const known = probes.get(namespace);
  return known !== undefined && known.address !== unusedAddress;
}

const membersAtOnce = 2_500;
const mostCounted = 10_000;
/** With stored holdings a count causes no chain reads; if changes are not announced, it reads every holding. */
const countSeconds = { stored: 60 * 60, read: 24 * 60 * 60 } as const;

/** Counts how many members meet each rule, if that is due. No roles are changed. */
export async function countDueMembers(ctx: CheckContext, communityId: string, signal: AbortSignal): Promise<void> {
  const now = ctx.clock();
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || !(await isCountDue(ctx.db.system, community.id, now))) return;
  const rows = await selectRules(ctx.db.system, community.id);
  const rules = openRules(rows);
  const tally = new Map(rules.rules.map(({ id }) => [id, { qualifying: 0, unknown: 0 }]));
  const tokenLists = await readTokenLists(ctx, readableRules(rules));
  let [members, after, isWhole] = [0, '', false];
  while (members < mostCounted && !isWhole) {
    signal.throwIfAborted();
    const page = await selectPresent(ctx.db.system, community.id, after, membersAtOnce);
    const people = page.filter(({ is_bot }) => !is_bot);
    const ids = people.map(({ user_id }) => user_id);
    const facts = await fetchFacts(ctx, { community, rules, tokenLists }, ids, { from: 'store', signal });
    for (const { user_id: userId, role_ids: roleIds } of people) {
      const verdicts = await decideMember(rules, facts, { userId, roleIds });
      for (const { id, truth } of verdicts.flatMap(({ reason }) => reason.rules)) {
        const counts = tally.get(id);
        if (counts !== undefined && truth === 'true') counts.qualifying += 1;
        if (counts !== undefined && truth === 'unknown') counts.unknown += 1;
      }
    }
    members += people.length;
    after = page.at(-1)?.user_id ?? '';
    isWhole = page.length < membersAtOnce;
  }
  const counts = rows.map(({ id }): CountedRule => {
    const counted = tally.get(id);
    return { rule_id: id, qualifying: counted?.qualifying ?? null, unknown_members: counted?.unknown ?? null };
  });
  const seconds = isStored(ctx, rules) ? countSeconds.stored : countSeconds.read;
  const dueAt = new Date(now.getTime() + seconds * 1000);
  await saveCounts(ctx.db.system, community.id, counts, { members, isWhole, now, dueAt });
}

function isStored({ follower }: CheckContext, rules: OpenRules): boolean {
  return readableRules(rules)
    .flatMap(assetLeavesOf)
    .every(({ asset }) => follower.announces(asset));
}
