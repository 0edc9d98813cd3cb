import { AppError, type ErrorDetail } from '@latchkey/kernel';
import {
  type CommunityRow,
  refuseBadRoles,
  refuseWrongContracts,
  ruleFields,
} from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { ruleInWords } from '../judging/index.ts';
import { readTokenNames } from '../naming/index.ts';
import { ownCommunity } from '../role-plans/index.ts';
import { assetLeavesOf, costOf, type Rule, readRule, walletNamespaceOf } from '../rules/index.ts';
import type { DraftDescription } from './shapes.ts';
import { roleNamer, rolesOf } from './words.ts';

type Problem = DraftDescription['problems'][number];

/** Says what a draft means, what it costs and everything that keeps it from being saved. Nothing is kept. */
export async function describeDraft(
  ctx: Context,
  { communityId, body }: { communityId: string; body: { rule: Record<string, unknown> } },
): Promise<DraftDescription> {
  const community = await ownCommunity(ctx, communityId);
  const warnings = ignoredFields(body.rule);
  const problems: Problem[] = [];
  const rule = await collect(problems, async () => readRule(body.rule));
  if (rule === undefined) return { problems, warnings };
  const tokens = assetLeavesOf(rule).map(({ asset }) => asset);
  const named = tokens.map((asset) => ({ ...asset, contract: asset.reference }));
  await collect(problems, () => refuseWrongContracts(ctx, named, '/variables'));
  await collect(problems, () => refuseBadRole(ctx, community, body.rule.roleId));
  const token = await readTokenNames(ctx, tokens, { asks: false });
  const role = roleNamer(await rolesOf(ctx, community));
  const sentence = ruleInWords(rule, { role: (id) => (id === '001' ? 'the role' : role(id)), token });
  return { sentence, problems, warnings, reads: costOf(rule, oneWalletEach(rule)) };
}

async function refuseBadRole(ctx: Context, { id }: CommunityRow, roleId: unknown): Promise<void> {
  if (typeof roleId === 'string' && roleId !== '') return refuseBadRoles(ctx, id, [{ roleId, path: '/roleId' }]);
  throw new AppError('VALIDATION_FAILED', 'Pick the role that members get.', {
    details: [{ path: '/roleId', code: 'required', message: 'Pick the role that members get.' }],
  });
}

/** Runs a check; what it refuses becomes problems. */
async function collect<Result>(problems: Problem[], check: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details: readonly ErrorDetail[] = Array.isArray(error.details) ? error.details : [];
    if (details.length === 0) problems.push({ path: '', message: error.message });
    problems.push(...details.map(({ path, message }) => ({ path, message: capital(message) })));
    return undefined;
  }
}

/** A rule keeps the fields that rules have; others would be lost without a word. */
function ignoredFields(rule: Record<string, unknown>): string[] {
  const ignored = Object.keys(rule).filter((field) => !ruleFields.includes(field));
  if (ignored.length === 0) return [];
  const names = ignored.slice(0, 10).map((field) => `"${field.slice(0, 100)}"`);
  return [`Rules have no field ${names.join(', ')}: what stands there is not saved.`];
}

function oneWalletEach(rule: Rule) {
  const namespaces = new Set(assetLeavesOf(rule).map(({ asset }) => walletNamespaceOf(asset.chain)));
  return [...namespaces].map((namespace) => ({ namespace, address: `any ${namespace} wallet` }));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
