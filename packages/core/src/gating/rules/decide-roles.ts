import { composeRoles } from './compose-roles.ts';
import { decide } from './decide.ts';
import type { DecideInput, Reason } from './decision.ts';
import type { OpenRule, OpenRules } from './open-rules.ts';
import { type Queries, startQueries } from './queries/start-queries.ts';
import { anyOf } from './truth.ts';
import type { RoleReason, RoleVerdict, RuleVerdict } from './verdict.ts';

/** The member whose roles are evaluated, and what was read. */
export type Subject = DecideInput & {
  /** The community that owns the rules, or the caller: queries with the same value share one time budget. */
  requestedBy: string;
  /** The current roles, which compositions use for roles that nothing decides. */
  memberRoles: readonly string[];
  /** The roles that active guest passes grant. */
  guestRoles: readonly string[];
};

/**
 * Decides every role that rules, guest passes or compositions name, for one member. Rules come first; several rules for
 * one role are alternatives. Guest passes then grant their roles whatever the rules say. Compositions come last and
 * override both; for them, a role from a guest pass counts as held.
 */
export async function decideRoles({ rules, compositions }: OpenRules, subject: Subject): Promise<RoleVerdict[]> {
  const queries = startQueries(subject.now, subject.requestedBy);
  const reasons = new Map(
    await Promise.all(
      [...Map.groupBy(rules, (rule) => rule.roleId)].map(
        async ([roleId, alternatives]) => [roleId, await decideByRules(alternatives, subject, queries)] as const,
      ),
    ),
  );
  for (const roleId of subject.guestRoles)
    reasons.set(roleId, { rules: [], ...reasons.get(roleId), truth: 'true', isGuest: true });
  const decided = new Map([...reasons].map(([roleId, { truth }]) => [roleId, truth]));
  return [...composeRoles(decided, compositions, subject.memberRoles)].map(([roleId, truth]) => {
    const about = compositions.filter((composition) => composition.roleId === roleId);
    const base = reasons.get(roleId) ?? { rules: [] };
    const reason: RoleReason = { ...base, truth, ...(about.length > 0 && { compositions: about }) };
    return { roleId, truth, reason, blocks: blocksOf(reason) };
  });
}

async function decideByRules(
  alternatives: readonly OpenRule[],
  subject: Subject,
  queries: Queries,
): Promise<RoleReason> {
  const rules = await Promise.all(
    alternatives.map(async (open): Promise<RuleVerdict> => {
      if ('problem' in open) return { id: open.id, truth: 'unknown', problem: open.problem };
      return { id: open.id, ...(await decide(open.rule, subject, queries)) };
    }),
  );
  return { truth: anyOf(rules.map((rule) => rule.truth)), rules };
}

/** The blocks that a decision is based on, by chain. */
function blocksOf({ rules }: RoleReason): Record<string, string> {
  const blocks: Record<string, string> = {};
  const visit = (reason: Reason): void => {
    if (reason.kind !== 'leaf') for (const part of reason.parts) visit(part);
    else for (const { chain, block } of reason.readings) if (block !== undefined) blocks[chain] = block;
  };
  for (const { reason } of rules) if (reason !== undefined) visit(reason);
  return blocks;
}
