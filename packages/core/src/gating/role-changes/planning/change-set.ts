import type { GatingSettings, RoleVerdict } from '../../evaluation/index.ts';

export type RoleAction = 'grant' | 'revoke';

/** One role of one member that is to change. */
export interface RoleChange {
  userId: string;
  roleId: string;
  action: RoleAction;
  reason: unknown;
  blocks: Readonly<Record<string, string>>;
}

/** Desired minus actual: only differences, only for roles that a rule names, and nothing is taken on an unknown. */
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

/** How one role stands before a change set. */
export interface RoleLosses {
  roleId: string;
  /** How many members hold it now. */
  holders: number;
  /** How many lost it within the window without an admin's word. */
  removed: number;
  /** How many are about to lose it without an admin's word. */
  losing: number;
}

/**
 * The roles of which a change set would take so many that a person must agree first. What was removed within the window counts
 * on both sides: as removed, and as held before.
 */
export function rolesToHold(
  changes: readonly RoleChange[],
  standings: readonly RoleLosses[],
  settings: Pick<GatingSettings, 'heldRemovalShare' | 'heldRemovalCount'>,
): Map<string, { removed: number; holders: number }> {
  const held = new Map<string, { removed: number; holders: number }>();
  const byRole = new Map(standings.map((standing) => [standing.roleId, standing]));
  const revokes = changes.filter((change) => change.action === 'revoke');
  for (const [roleId, losing] of Map.groupBy(revokes, (change) => change.roleId)) {
    const before = byRole.get(roleId) ?? { holders: 0, removed: 0, losing: 0 };
    const removed = before.removed + before.losing + losing.length;
    const holders = before.removed + before.holders;
    const isMany = removed >= settings.heldRemovalCount && removed > holders * settings.heldRemovalShare;
    if (isMany) held.set(roleId, { removed, holders });
  }
  return held;
}
