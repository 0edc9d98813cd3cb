import type { ApprovalPolicy } from '../../approval-policies/index.ts';
import type { RoleVerdict } from '../../evaluation/index.ts';

export type RoleAction = 'grant' | 'revoke';

/** A planned change of one role of one member. */
export interface RoleChange {
  userId: string;
  roleId: string;
  action: RoleAction;
  reason: unknown;
  blocks: Readonly<Record<string, string>>;
}

/** Desired minus actual: only differences, only for roles that a rule names, and an unknown result removes nothing. */
export function changesOf(
  member: { userId: string; roleIds: readonly string[] },
  verdicts: readonly RoleVerdict[],
): RoleChange[] {
  return verdicts.flatMap(({ roleId, truth, reason, blocks }) => {
    const isHeld = member.roleIds.includes(roleId);
    if (truth === 'unknown' || (truth === 'true') === isHeld) return [];
    const action: RoleAction = isHeld ? 'revoke' : 'grant';
    return [{ userId: member.userId, roleId, action, reason, blocks }];
  });
}

/** The losses of one role before a change set. */
export interface RoleLosses {
  roleId: string;
  /** How many members have it now. */
  holders: number;
  /** How many lost it within the window without an admin's approval. */
  removed: number;
  /** How many are about to lose it without an admin's approval. */
  losing: number;
}

/** Why removals of one role need approval. */
export interface HeldRole {
  removed: number;
  holders: number;
  /** `per-day` if only the daily limit was exceeded. */
  exceeds: 'share' | 'per-day';
}

/**
 * The roles that would be removed from so many members that an admin must approve it, by how many members lose each
 * now. Removals within the window count both as removed and as previously held.
 */
export function rolesToHold(
  losing: ReadonlyMap<string, number>,
  losses: readonly RoleLosses[],
  policy: Pick<ApprovalPolicy, 'limitsOf'>,
): Map<string, HeldRole> {
  const held = new Map<string, HeldRole>();
  const byRole = new Map(losses.map((loss) => [loss.roleId, loss]));
  for (const [roleId, members] of losing) {
    const before = byRole.get(roleId) ?? { holders: 0, removed: 0, losing: 0 };
    const removed = before.removed + before.losing + members;
    const holders = before.removed + before.holders;
    const { share, count, perDay } = policy.limitsOf(roleId);
    if (removed >= count && removed > holders * share) held.set(roleId, { removed, holders, exceeds: 'share' });
    else if (removed > perDay) held.set(roleId, { removed, holders, exceeds: 'per-day' });
  }
  return held;
}
