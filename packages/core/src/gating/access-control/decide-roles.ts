import type { Context } from '../../context.ts';
import type { Answer } from '../../ports/index.ts';
import { readTokenLists } from '../judging/index.ts';
import {
  anyOf,
  composeRoles,
  compositionOf,
  type Decision,
  decide,
  questionsOf,
  type Reason,
  type Rule,
  type RuleWallet,
  startQueries,
  type Truth,
} from '../rules/index.ts';
import { readCached } from './read-cached.ts';
import type { RoleAnswer } from './token-gating.ts';

export type DecideContext = Pick<Context, 'clock' | 'egress' | 'holdings'>;

/** A rule, or why it cannot be read. */
export type OpenedRule = { rule: Rule } | { id?: string; roleId: string; problem: string };

export interface Member {
  /** Who asks, or the community whose rules they are. */
  caller: string;
  wallets: readonly RuleWallet[];
  /** The roles that the member holds on the platform; none when only an account is asked about. */
  roleIds?: readonly string[];
  /** The guest passes that the member holds, and the roles they give; absent when only an account is asked about. */
  guest?: { passes: readonly string[]; roleIds: readonly string[] };
}

interface RuleVerdict {
  id?: string;
  roleId: string;
  truth: Truth;
  reason?: Reason;
  problem?: string;
}

/** Holds rules against a member: a role is granted when any of its rules is met, and left open when none decides it. */
export async function decideRoles(
  ctx: DecideContext,
  opened: readonly OpenedRule[],
  { caller, wallets, roleIds = [], guest }: Member,
): Promise<RoleAnswer> {
  const rules = opened.flatMap((open) => ('rule' in open ? [open.rule] : []));
  const plain = rules.filter((rule) => compositionOf(rule) === undefined);
  const compositions = rules.flatMap((rule) => compositionOf(rule) ?? []);
  const now = ctx.clock();
  const tokenLists = await readTokenLists(ctx, plain);
  const answers = new Map<string, Answer>();
  // The second round asks what vaults hold that the first one found.
  for (let round = 0; round < 2; round += 1) {
    const questions = plain.flatMap((rule) => questionsOf(rule, wallets, { now, tokenLists, answers }));
    if (questions.length === 0) break;
    for (const [key, answer] of await readCached(ctx, questions)) answers.set(key, answer);
  }
  const known = { now, wallets, answers, tokenLists, ...(guest !== undefined && { guestPasses: guest.passes }) };
  const queries = startQueries(now, caller);
  const verdicts = await Promise.all(plain.map(async (rule) => toVerdict(rule, await decide(rule, known, queries))));
  for (const open of opened) if ('problem' in open) verdicts.push({ ...open, truth: 'unknown' });
  for (const roleId of guest?.roleIds ?? []) verdicts.push({ roleId, truth: 'true' });
  const byRole = Map.groupBy(verdicts, ({ roleId }) => roleId);
  const decided = new Map([...byRole].map(([roleId, alike]) => [roleId, anyOf(alike.map(({ truth }) => truth))]));
  return toAnswer(composeRoles(decided, compositions, roleIds), byRole);
}

function toVerdict({ id, roleId }: Rule, { truth, reason }: Decision): RuleVerdict {
  return { ...(id !== undefined && { id }), roleId, truth, reason };
}

function toAnswer(truths: ReadonlyMap<string, Truth>, verdicts: ReadonlyMap<string, RuleVerdict[]>): RoleAnswer {
  const roles: RoleAnswer['roles'] = [];
  const errors: RoleAnswer['errors'] = [];
  for (const [id, truth] of truths) {
    if (truth !== 'unknown') roles.push({ id, granted: truth === 'true' });
    else errors.push(...describeOpen(id, verdicts.get(id) ?? []));
  }
  return { roles, errors };
}

function describeOpen(roleId: string, verdicts: readonly RuleVerdict[]): RoleAnswer['errors'] {
  const open = verdicts.filter(({ truth }) => truth === 'unknown');
  if (open.length === 0) return [{ roleId, code: 'UNDECIDED', message: 'It depends on a role that is not decided.' }];
  return open.map(({ id, reason, problem }) => ({
    roleId,
    ...(id !== undefined && { ruleId: id }),
    code: problem === undefined ? 'UNDECIDED' : 'UNREADABLE_RULE',
    message: problem ?? (reason && firstDoubt(reason)) ?? 'The rule could not be decided.',
    ...(reason !== undefined && { reason }),
  }));
}

/** The first thing that could not be read, in words. */
function firstDoubt(reason: Reason): string | undefined {
  if (reason.truth !== 'unknown') return undefined;
  if (reason.kind !== 'leaf') return reason.parts.map(firstDoubt).find((text) => text !== undefined);
  return reason.readings.find(({ truth }) => truth === 'unknown')?.note ?? reason.note;
}
