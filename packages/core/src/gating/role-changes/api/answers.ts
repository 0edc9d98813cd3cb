import type { Reconciled } from '../planning/reconcile.ts';
import { pairKey } from '../planning/suppression-queries.ts';
import type { ChangeSetWithItems } from '../review/reads.ts';
import type { ChangeSetRow, LedgerRow } from '../tables.ts';
import type { Names, UserNames } from './names.ts';
import type { ChangeSet, ChangeSetItem, MemberRoles, RoleLedgerEntry } from './shapes.ts';

export function toChangeSet(row: ChangeSetRow, names: UserNames & Partial<Pick<Names, 'note'>>): ChangeSet {
  return {
    id: row.id,
    communityId: row.community_id,
    status: row.status,
    cause: row.cause,
    note: row.note === null ? undefined : (names.note?.(row.note) ?? row.note),
    undoes: row.undoes ?? undefined,
    grants: row.grants,
    revokes: row.revokes,
    members: row.calls,
    unknowns: row.unknowns,
    decidedBy: row.decided_by ?? undefined,
    decidedByName: row.decided_by === null ? undefined : names.userName(row.decided_by),
    decidedTime: row.decided_at?.toISOString(),
    createdTime: row.created_at.toISOString(),
    finishedTime: row.finished_at?.toISOString(),
  };
}

export function toItem(row: ChangeSetWithItems['items']['items'][number], names: Names): ChangeSetItem {
  return {
    ...whoAndWhat(row, names),
    action: row.action,
    state: row.state,
    error: row.last_error ?? undefined,
    reason: names.reason(row.user_id, row.reason),
    ...names.words(row.user_id, row.reason),
    blocks: row.blocks,
  };
}

export function toLedgerEntry(row: LedgerRow, names: Names): RoleLedgerEntry {
  return {
    id: String(row.id),
    time: row.at.toISOString(),
    ...whoAndWhat(row, names),
    action: row.action,
    changeSetId: row.change_set_id,
    isAutomatic: row.is_automatic,
    reason: names.reason(row.user_id, row.reason),
    ...names.words(row.user_id, row.reason),
    blocks: row.blocks,
  };
}

export function toMemberRoles(
  { row, verdicts }: Reconciled['members'][number],
  suppressed: ReadonlySet<string>,
  names: Names,
): MemberRoles {
  const userId = row.user_id;
  return {
    userId,
    userName: names.userName(userId),
    roles: verdicts.map(({ roleId, truth, reason, blocks }) => ({
      roleId,
      roleName: names.roleName(roleId),
      has: row.role_ids.includes(roleId),
      qualifies: truth === 'unknown' ? undefined : truth === 'true',
      isSuppressed: suppressed.has(pairKey({ userId, roleId })),
      reason: names.reason(userId, reason),
      ...names.words(userId, reason),
      blocks: { ...blocks },
    })),
  };
}

export function whoAndWhat({ user_id, role_id }: Pick<LedgerRow, 'user_id' | 'role_id'>, names: Names) {
  return {
    userId: user_id,
    userName: names.userName(user_id),
    roleId: role_id,
    roleName: names.roleName(role_id),
  };
}
