import { parseTokenIds, type TokenIdSet } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { type GuestOf, guestsAmong } from '../../communities/guest-passes/index.ts';
import { selectMembers, walletsInCommunity } from '../../communities/memberships/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import type { LinkedWallet } from '../../identity/wallets/index.ts';
import type { Answer, Egress, Question } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { GatingSettings } from '../../shared/settings.ts';
import { putHoldings, selectHoldings } from '../holdings/index.ts';
import {
  assetLeavesOf,
  decideRoles,
  type Known,
  type OpenRules,
  openRules,
  questionKey,
  questionsOf,
  type RoleVerdict,
  type Rule,
  type RuleWallet,
  readableRules,
  type Truth,
  tokenListUrlsOf,
} from '../rules/index.ts';
import { readRemembered, rememberedForMs } from './read-remembered.ts';

/**
 * Returns what each rule of a community says about a member now, by rule id; undefined for non-members. Stored holdings
 * are used until a change to them is announced, so frequent calls cause no chain reads.
 */
export async function readRules(
  ctx: EvaluationContext,
  communityId: string,
  userId: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Truth> | undefined> {
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  if (member === undefined || member.left_at !== null || member.is_bot) return undefined;
  const verdicts = await evaluateMember(ctx, { id: communityId }, userId, { signal });
  return new Map(verdicts.flatMap(({ reason }) => reason.rules).map(({ id, truth }) => [id, truth]));
}

export type EvaluationContext = ReadContext & Pick<Context, 'egress'>;

/**
 * Evaluates one person's roles in a community: a member, or a prospective member who has no role
 * yet. Nothing is changed.
 */
export async function evaluateMember(
  ctx: EvaluationContext,
  community: Pick<CommunityRow, 'id'>,
  userId: string,
  options: ReadRulesOptions,
): Promise<RoleVerdict[]> {
  const rules = openRules(await selectRules(ctx.db.system, community.id));
  const [member] = await selectMembers(ctx.db.system, community.id, [userId]);
  const tokenLists = await readTokenLists(ctx, readableRules(rules));
  const facts = await fetchFacts(ctx, { community, rules, tokenLists }, [userId], options);
  return decideMember(rules, facts, { userId, roleIds: member?.left_at === null ? member.role_ids : [] });
}

interface Evaluation {
  verdicts: RoleVerdict[];
  /** How long the cache keeps everything that was read for this result. */
  freshForMs: number;
}

/** Evaluates roles for wallets outside any community, so without member roles and guest passes. */
export async function evaluateWallets(
  ctx: EvaluationContext,
  rules: OpenRules,
  { requestedBy, wallets }: { requestedBy: string; wallets: readonly RuleWallet[] },
  options: ReadRulesOptions,
): Promise<Evaluation> {
  const now = ctx.clock();
  const readable = readableRules(rules);
  const tokenLists = await readTokenLists(ctx, readable);
  const answers = await readForRules(ctx, readable, [wallets], { now, tokenLists }, options);
  const subject = { requestedBy, now, wallets, answers, tokenLists, memberRoles: [], guestRoles: [] };
  return {
    verdicts: await decideRoles(rules, subject),
    freshForMs: options.from === 'memory' ? rememberedForMs(ctx, answers.keys()) : 0,
  };
}

const ttlSeconds = 300;
const maxListBytes = 2_000_000;
const timeoutMs = 10_000;

const caches = new WeakMap<Egress, LRUCache<string, Promise<TokenIdSet | undefined>>>();

/** Returns the token lists that rules reference by URL. A list that cannot be read is absent, and not cached. */
export async function readTokenLists(
  ctx: Pick<Context, 'clock' | 'egress'>,
  rules: readonly Rule[],
): Promise<Map<string, TokenIdSet>> {
  const lists = new Map<string, TokenIdSet>();
  const urls = [...new Set(rules.flatMap(tokenListUrlsOf))];
  if (urls.length === 0) return lists;
  const cache = cacheFor(ctx);
  await Promise.all(
    urls.map(async (url) => {
      const reading = cache.get(url) ?? readList(ctx.egress, url);
      cache.set(url, reading);
      const list = await reading;
      if (list !== undefined) lists.set(url, list);
      else if (cache.peek(url) === reading) cache.delete(url);
    }),
  );
  return lists;
}

// If a third-party list cannot be read, the rule becomes unknown; nothing else is affected.
async function readList(egress: Egress, url: string): Promise<TokenIdSet | undefined> {
  try {
    const { status, body } = await egress.send({ method: 'GET', url, timeoutMs, maxResponseBytes: maxListBytes });
    return status === 200 ? parseTokenIds(new TextDecoder().decode(body)) : undefined;
  } catch {
    return undefined;
  }
}

function cacheFor({ egress, clock }: Pick<Context, 'clock' | 'egress'>) {
  const present = caches.get(egress);
  if (present !== undefined) return present;
  const cache = new LRUCache<string, Promise<TokenIdSet | undefined>>({
    max: 200,
    ttl: ttlSeconds * 1000,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  caches.set(egress, cache);
  return cache;
}

type TokenLists = ReadonlyMap<string, TokenIdSet>;

/** Everything known about some members. Their roles can be evaluated again from it when their actual roles change. */
export interface Facts {
  communityId: string;
  now: Date;
  wallets: ReadonlyMap<string, readonly LinkedWallet[]>;
  guests: ReadonlyMap<string, GuestOf>;
  answers: Answers;
  tokenLists: TokenLists;
}

interface FactsScope {
  community: Pick<CommunityRow, 'id'>;
  rules: OpenRules;
  tokenLists: TokenLists;
  /** Guest passes that count as if they had ended. */
  endedPassIds?: readonly string[] | undefined;
}

/** Reads everything that the rules of a community need to know about these members, and their guest passes. */
export async function fetchFacts(
  ctx: ReadContext,
  { community, rules, tokenLists, endedPassIds = [] }: FactsScope,
  userIds: readonly string[],
  options: ReadRulesOptions,
): Promise<Facts> {
  const now = ctx.clock();
  const wallets = await walletsInCommunity(ctx.db.system, community.id, userIds, ctx.settings);
  const guests = await guestsAmong(ctx.db.system, community.id, userIds, now, endedPassIds);
  const answers = await readForRules(ctx, readableRules(rules), [...wallets.values()], { now, tokenLists }, options);
  return { communityId: community.id, now, wallets, guests, answers, tokenLists };
}

/** Reads what the rules need for each of these people's wallets: deduplicated, in one read for all of them. */
async function readForRules(
  ctx: ReadContext,
  rules: readonly Rule[],
  wallets: readonly (readonly RuleWallet[])[],
  known: Known,
  options: ReadRulesOptions,
): Promise<Answers> {
  const questionsFor = (subset: readonly Rule[], answers?: Answers): Question[] =>
    wallets.flatMap((owned) =>
      subset.flatMap((rule) => questionsOf(rule, owned, { ...known, ...(answers && { answers }) })),
    );
  const first = await readAnswers(ctx, questionsFor(rules), options);
  // The wallets that delegated to a member's wallet are known only now.
  const delegating = rules.filter((rule) => assetLeavesOf(rule).some(({ reading }) => reading.delegation));
  const second = questionsFor(delegating, first);
  return second.length === 0 ? first : new Map([...first, ...(await readAnswers(ctx, second, options))]);
}

/** Decides the roles of one member from the fetched facts. */
export function decideMember(
  rules: OpenRules,
  { communityId, now, wallets, guests, answers, tokenLists }: Facts,
  member: { userId: string; roleIds: readonly string[] },
): Promise<RoleVerdict[]> {
  const guest = guests.get(member.userId);
  return decideRoles(rules, {
    requestedBy: communityId,
    now,
    answers,
    tokenLists,
    wallets: wallets.get(member.userId) ?? [],
    memberRoles: member.roleIds,
    guestPasses: guest?.passes ?? [],
    guestRoles: guest?.roleIds ?? [],
  });
}

export type ReadContext = Pick<Context, 'clock' | 'db' | 'follower' | 'holdings' | 'settings'>;

export interface ReadRulesOptions {
  /**
   * What may be used instead of a chain read. `store` (the default): stored holdings, if changes to them are announced
   * and none was. `memory`: results of the last few seconds, for programs that check often. `chain`: nothing.
   */
  from?: 'store' | 'memory' | 'chain';
  /** How many endpoints of a chain must agree. Does not apply to `memory`, nor to a read shared with other callers. */
  quorum?: number;
  signal?: AbortSignal | undefined;
}

/** How many times a read is tried if the chain is reorganized during it. */
const mostTries = 3;
const reorganised = 'The chain was reorganized during every read.';

/** Answers by `questionKey`. */
type Answers = ReadonlyMap<string, Answer>;

/**
 * Returns an answer to each distinct question, from the source that `from` allows, otherwise with one read of the
 * chains. With the store, the calls of a resync grow with transfers, not with members.
 */
export async function readAnswers(
  ctx: ReadContext,
  questions: Iterable<Question>,
  { from = 'store', quorum, signal }: ReadRulesOptions = {},
): Promise<Answers> {
  const byKey = new Map<string, Question>();
  for (const question of questions) byKey.set(questionKey(question), question);
  if (from === 'memory') return readRemembered(ctx, byKey);
  const announced = new Map([...byKey].filter(([, question]) => isAnnounced(ctx, question)));
  const answers = from === 'chain' ? new Map<string, Answer>() : await findStored(ctx, [...announced.values()]);
  let missing = new Map([...byKey].filter(([key]) => !answers.has(key)));
  for (let tries = 0; missing.size > 0 && tries < mostTries; tries += 1) {
    const now = ctx.clock();
    const read = await ctx.holdings.read([...missing.values()], {
      ...(quorum !== undefined && { quorum }),
      ...(signal !== undefined && { signal }),
    });
    const kept: { question: Question; answer: Answer }[] = [];
    for (const [at, [key, question]] of [...missing].entries()) {
      const answer = read[at] ?? { kind: 'unknown', reason: 'The reader returned no result.' };
      answers.set(key, answer);
      if (announced.has(key)) kept.push({ question, answer });
    }
    const orphaned = await putHoldings(ctx.db, kept, now);
    missing = new Map(orphaned.map((question) => [questionKey(question), question]));
  }
  for (const key of missing.keys()) answers.set(key, { kind: 'unknown', reason: reorganised });
  return answers;
}

function findStored(ctx: ReadContext, questions: readonly Question[]): Promise<Map<string, Answer>> {
  const { rereadSeconds, followLagSeconds } = gatingSettings(ctx);
  const now = ctx.clock().getTime();
  return selectHoldings(ctx.db.system, questions, {
    readAfter: new Date(now - rereadSeconds * 1000),
    followedAfter: new Date(now - followLagSeconds * 1000),
  });
}

// Transfers do not announce changes of past blocks or holding periods.
function isAnnounced(ctx: ReadContext, question: Question): boolean {
  return question.atBlock === undefined && question.leastSince === undefined && ctx.follower.announces(question);
}

const daySeconds = 24 * 60 * 60;

export const defaultGatingSettings: GatingSettings = {
  removalQuorum: 2,
  heldRemovalShare: 0.05,
  heldRemovalCount: 10,
  heldRemovalsPerDay: 100,
  brakeWindowSeconds: daySeconds,
  rereadSeconds: daySeconds,
  followLagSeconds: 60,
  memberFreshSeconds: 30,
  followPauseMs: 500,
  followDepth: 2,
  followDepths: {},
};

export function gatingSettings({ settings }: Pick<Context, 'settings'>): GatingSettings {
  return { ...defaultGatingSettings, ...settings.gating };
}
