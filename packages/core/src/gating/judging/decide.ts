import {
  anyOf,
  composeRoles,
  type DecideInput,
  decide,
  type Queries,
  type Reason,
  type RoleComposition,
  startQueries,
  type Truth,
} from '../rules/index.ts';
import type { OpenRule, OpenRules } from './open-rules.ts';
import type { RoleVerdict } from './verdict.ts';

/** Why a role is deserved, as it is kept with every change. */
export interface RoleReason {
  truth: Truth;
  /** Any one of them is enough. */
  rules: { id: string; truth: Truth; reason?: Reason; problem?: string }[];
  /** The compositions that look at other roles and have the last word. */
  compositions?: RoleComposition[];
  /** A guest pass gives the role, whatever the rules say. */
  isGuest?: true;
  /** The platform shows another role of the member instead. */
  isOutranked?: true;
}

type Facts = DecideInput & {
  communityId: string;
  memberRoles: readonly string[];
  /** The roles that running guest passes give. */
  guestRoles: readonly string[];
};

/**
 * Decides every role that rules name, for one member: several rules of a role are alternatives, compositions come after
 * them, and guest passes have the last word. A role that nothing names is not in the answer.
 */
export async function decideRoles({ rules, compositions }: OpenRules, facts: Facts): Promise<RoleVerdict[]> {
  const queries = startQueries(facts.now, facts.communityId);
  const reasons = new Map(
    await Promise.all(
      [...Map.groupBy(rules, (rule) => rule.roleId)].map(
        async ([roleId, alternatives]) => [roleId, await decideRole(alternatives, facts, queries)] as const,
      ),
    ),
  );
  const decided = new Map([...reasons].map(([roleId, { truth }]) => [roleId, truth]));
  const composed = composeRoles(decided, compositions, facts.memberRoles);
  return [...composed].map(([roleId, ruled]) => {
    const isGuest = facts.guestRoles.includes(roleId);
    const truth: Truth = isGuest ? 'true' : ruled;
    const about = compositions.filter((composition) => composition.roleId === roleId);
    const base = reasons.get(roleId) ?? { truth, rules: [] };
    const reason: RoleReason = {
      ...base,
      truth,
      ...(about.length > 0 && { compositions: about }),
      ...(isGuest && { isGuest }),
    };
    return { roleId, truth, reason, blocks: blocksOf(reason) };
  });
}

async function decideRole(alternatives: readonly OpenRule[], facts: Facts, queries: Queries): Promise<RoleReason> {
  const rules = await Promise.all(
    alternatives.map(async (open): Promise<RoleReason['rules'][number]> => {
      if ('problem' in open) return { id: open.id, truth: 'unknown', problem: open.problem };
      return { id: open.id, ...(await decide(open.rule, facts, queries)) };
    }),
  );
  return { truth: anyOf(rules.map((rule) => rule.truth)), rules };
}

/** The blocks that a decision was read at, by chain. */
function blocksOf({ rules }: RoleReason): Record<string, string> {
  const blocks: Record<string, string> = {};
  const visit = (reason: Reason): void => {
    if (reason.kind !== 'leaf') for (const part of reason.parts) visit(part);
    else for (const { chain, block } of reason.readings) if (block !== undefined) blocks[chain] = block;
  };
  for (const { reason } of rules) if (reason !== undefined) visit(reason);
  return blocks;
}
