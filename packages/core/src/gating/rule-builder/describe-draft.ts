import { AppError, type ErrorDetail, notFound } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import { ownCommunity } from '../../communities/access/index.ts';
import { refuseBadRoles } from '../../communities/community/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { ruleFields, selectRule, selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuseMisspelled } from '../community-rules/index.ts';
import { openRules, ruleInWords } from '../evaluation/index.ts';
import { readSymbols } from '../evm/index.ts';
import { plainName, readTokenNames } from '../naming/index.ts';
import {
  compareRules,
  effectInWords,
  findContradiction,
  findProblems,
  problemInWords,
} from '../rule-analysis/index.ts';
import { assertionInWords, checkAssertions, selectAssertions } from '../rule-assertions/index.ts';
import { refuseUndecidable } from '../rule-health/index.ts';
import {
  assetLeavesOf,
  compositionOf,
  costOf,
  defaultRoleId,
  type Rule,
  readRule,
  walletNamespaceOf,
} from '../rules/index.ts';
import { rememberContracts } from './remember-contracts.ts';
import type { DraftDescription } from './shapes.ts';
import { roleNamer, rolesOf } from './words.ts';

const platformMs = 10_000;

/**
 * Caches a platform's responses for a short time, per community, because chat platforms have rate limits. Responses
 * that are not worth caching are fetched again.
 */
function rememberBriefly<Answer extends object>(
  isWorthKeeping: (answer: Answer) => boolean,
): (owner: object, key: string, load: () => Promise<Answer>) => Promise<Answer> {
  const kept = new WeakMap<object, LRUCache<string, Answer>>();
  return async (owner, key, load) => {
    const known = kept.get(owner) ?? new LRUCache<string, Answer>({ max: 1_000, ttl: platformMs });
    kept.set(owner, known);
    const present = known.get(key);
    if (present !== undefined) return present;
    const answer = await load();
    if (isWorthKeeping(answer)) known.set(key, answer);
    return answer;
  };
}

const timeoutMs = 5_000;

type Problem = DraftDescription['problems'][number];

/** Describes what a draft means, what it costs and everything that prevents it from being saved. Nothing is stored. */
export async function describeDraft(
  ctx: Context,
  { communityId, body }: { communityId: string; body: { rule: Record<string, unknown>; ruleId?: string | undefined } },
): Promise<DraftDescription> {
  const community = await ownCommunity(ctx, communityId);
  const { ruleId } = body;
  if (ruleId !== undefined && (await selectRule(ctx.db.system, community.id, ruleId)) === undefined)
    throw notFound('rule');
  const warnings = ignoredFields(body.rule);
  const problems: Problem[] = [];
  const rule = await collect(problems, async () => readRule(body.rule));
  if (rule === undefined) return { problems, warnings };
  const tokens = assetLeavesOf(rule).map(({ asset }) => asset);
  const named = tokens.map((asset) => ({ ...asset, contract: asset.reference }));
  const chains = { ...ctx, tokenMetadata: rememberContracts(ctx.tokenMetadata) };
  await collect(problems, async () => refuseMisspelled(ctx, body.rule));
  await collect(problems, () => refuseUndecidable(chains, rule, '/variables'));
  problems.push(...(await findRoleFaults(ctx, community, body.rule.roleId)));
  const read = await readSymbols(chains, named, AbortSignal.timeout(timeoutMs));
  const token = await readTokenNames(ctx, tokens, { asks: false, read });
  const { roles } = await recentRoles(ctx.hosts, community.id, async () => ({ roles: await rolesOf(ctx, community) }));
  const nameOf = roleNamer(roles);
  const role = (id: string) => (id === '' || id === defaultRoleId ? 'the role' : nameOf(id));
  const analysis = await analyzeDraft(ctx, community, body, { role, token });
  return {
    sentence: ruleInWords(rule, { role, token }),
    ...(roles === undefined && { isPartial: true }),
    problems: [...problems, ...analysis.problems],
    warnings: [...warnings, ...analysis.warnings],
    ...(analysis.effects.length > 0 && { effects: analysis.effects }),
    reads: costOf(rule, oneWalletEach(rule)),
  };
}

/**
 * What can be proven about a draft beside the saved rules: that it breaks an assertion, that it has no effect, and who gains
 * or loses the role by an edit.
 */
async function analyzeDraft(
  ctx: Context,
  community: CommunityRow,
  { rule, ruleId }: { rule: Record<string, unknown>; ruleId?: string | undefined },
  { role, token }: { role(id: string): string; token(asset: string): string },
): Promise<{ problems: Problem[]; warnings: string[]; effects: string[] }> {
  if (typeof rule.roleId !== 'string' || rule.roleId === '') return { problems: [], warnings: [], effects: [] };
  const saved = await selectRules(ctx.db.system, community.id);
  const edited = saved.find(({ id }) => id === ruleId);
  const drafted = { id: edited?.id ?? 'draft', role_id: rule.roleId, definition: rule };
  const after = openRules([...saved.filter((row) => row !== edited), drafted]);
  const nameOf = (id: string) => saved.find((row) => row.id === id)?.definition.name;
  const names = { role, token, rule: (id: string) => `“${plainName(String(nameOf(id) ?? id))}”` };
  const composed = compositionOf(readRule(rule))?.roleId;
  const found = [
    ...findProblems(after, { ruleId: drafted.id }),
    ...(composed === undefined ? [] : await findContradiction(after, composed)),
  ];
  const warnings = found.map((problem) => problemInWords(problem, names));
  const assertions = await selectAssertions(ctx.db.system, community.id);
  const problems = (await checkAssertions(after, assertions))
    .filter(({ answer }) => answer.kind !== 'proven')
    .map(({ row, answer }) => ({ path: '', message: assertionInWords(row, answer, names) }));
  if (edited === undefined) return { problems, warnings, effects: [] };
  const [compared] = await compareRules(openRules(saved), after, { roleId: rule.roleId });
  const effects =
    compared === undefined
      ? []
      : [effectInWords('gain', compared.noGains, names), effectInWords('lose', compared.noLosses, names)];
  return { problems, warnings, effects };
}

const recentRoles = rememberBriefly<{ roles: Awaited<ReturnType<typeof rolesOf>> }>(({ roles }) => roles !== undefined);
const recentFaults = rememberBriefly<Problem[]>((problems) => problems.length === 0);

function findRoleFaults(ctx: Context, community: CommunityRow, roleId: unknown): Promise<Problem[]> {
  return recentFaults(ctx.hosts, JSON.stringify([community.id, roleId]), async () => {
    const problems: Problem[] = [];
    await collect(problems, () => refuseBadRole(ctx, community, roleId));
    return problems;
  });
}

async function refuseBadRole(ctx: Context, { id }: CommunityRow, roleId: unknown): Promise<void> {
  if (typeof roleId === 'string' && roleId !== '') return refuseBadRoles(ctx, id, [{ roleId, path: '/roleId' }]);
  throw new AppError('VALIDATION_FAILED', 'Pick the role that members get.', {
    details: [{ path: '/roleId', code: 'required', message: 'Pick the role that members get.' }],
  });
}

/** Runs a check; an error that it throws becomes problems. */
async function collect<Result>(problems: Problem[], check: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details: readonly ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    if (details.length === 0) problems.push({ path: '', message: error.message });
    const words = details.map((detail) => ({
      path: detail.path,
      message: nextStep(detail, details) ?? capital(detail.message),
    }));
    // A token that was not picked lacks both chain and address, but that is one thing to fix.
    for (const problem of words)
      if (!problems.some(({ message }) => message === problem.message)) problems.push(problem);
    return undefined;
  }
}

const nextSteps = {
  token: 'Pick a token: paste its address or a link to it, or type its name.',
  chainId: 'Pick the chain of this condition.',
  contractAddress: 'Name the token of this condition: its contract, mint or collection.',
  collectionName: 'Name the collection of this condition.',
  tokenSymbol: 'Name the symbol of the token.',
  eventId: 'Name the POAP drops that count.',
  tokenId: 'List the tokens or campaigns that count.',
} as const;

type NamedField = Exclude<keyof typeof nextSteps, 'token'>;

function isNamed(field: string | undefined): field is NamedField {
  return field !== undefined && field !== 'token' && Object.hasOwn(nextSteps, field);
}

/** What to do about an empty field, in the words of the page; undefined if the error message is enough. */
function nextStep({ path, code }: ErrorDetail, all: readonly ErrorDetail[]): string | undefined {
  const [, place = '', field] = /^(.*)\/(\w+)$/.exec(path) ?? [];
  if (code !== 'required' || !isNamed(field)) return undefined;
  const isEmpty = (name: string) => all.some((one) => one.code === 'required' && one.path === `${place}/${name}`);
  const isPlace = field === 'chainId' || field === 'contractAddress';
  return nextSteps[isPlace && isEmpty('chainId') && isEmpty('contractAddress') ? 'token' : field];
}

/** Rules store only known fields; others would be dropped silently. */
function ignoredFields(rule: Record<string, unknown>): string[] {
  const ignored = Object.keys(rule).filter((field) => !ruleFields.includes(field));
  if (ignored.length === 0) return [];
  const names = ignored.slice(0, 10).map((field) => `"${field.slice(0, 100)}"`);
  return [`Rules have no field ${names.join(', ')}: it will not be saved.`];
}

function oneWalletEach(rule: Rule) {
  const namespaces = new Set(assetLeavesOf(rule).map(({ asset }) => walletNamespaceOf(asset.chain)));
  return [...namespaces].map((namespace) => ({ namespace, address: `any ${namespace} wallet` }));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
