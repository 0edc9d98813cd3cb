import type { Reconciled } from '../planning/reconcile.ts';
import { pairKey } from '../planning/suppression-queries.ts';
import type { ChangeSetOutcome, ChangeSetWithItems } from '../review/reads.ts';
import type { UndoPreview as UndoPlan } from '../review/undo.ts';
import type { ChangeSetRow, LedgerRow } from '../tables.ts';
import type { Names, UserNames } from './names.ts';
import type { ChangeSet, ChangeSetItem, MemberRoles, RoleLedgerEntry, UndoPreview } from './shapes.ts';

export function toChangeSet(
  row: ChangeSetRow,
  outcome: ChangeSetOutcome,
  names: UserNames & Partial<Pick<Names, 'note'>>,
): ChangeSet {
  return {
    id: row.id,
    communityId: row.community_id,
    status: row.status,
    cause: row.cause,
    note: row.note === null ? undefined : (names.note?.(row.note) ?? row.note),
    undoes: row.undoes ?? undefined,
    ruleChangeIds: row.rule_change_ids,
    restoredRuleChangeIds: row.restored_rule_change_ids,
    grants: row.grants,
    revokes: row.revokes,
    members: row.calls,
    written: { grants: row.written_grants, revokes: row.written_revokes, members: row.written_members },
    ...outcome,
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
    dropReason: row.drop_reason ?? undefined,
    reason: names.reason(row.user_id, row.reason),
    ...names.words(row.user_id, row.reason),
    blocks: row.blocks,
  };
}

export function toUndoPreview(changeSetId: string, undo: UndoPlan, names: Names): UndoPreview {
  const { totals, rules, restoresRule, heldBecause, items } = undo;
  return {
    changeSetId,
    ...totals,
    restoresRule,
    ...(heldBecause !== undefined && { heldBecause: names.note(heldBecause) }),
    rules: rules.map(({ ruleId, changeId, action, before, laterChangeId }) => ({
      ruleId,
      ruleName: names.ruleName(ruleId),
      ruleChangeId: changeId,
      action,
      canRestore: before !== null,
      ...(laterChangeId !== undefined && { laterRuleChangeId: laterChangeId }),
    })),
    ...items,
    items: items.items.map((item) => ({
      ...whoAndWhat(item, names),
      action: item.action === 'grant' ? 'revoke' : 'grant',
      outcome: item.outcome,
      ...(item.later_change_set_id !== null && {
        supersededBy: {
          changeSetId: item.later_change_set_id,
          ...(item.later_entry_id !== null && { ledgerEntryId: item.later_entry_id }),
        },
      }),
      qualifies: item.qualifies,
      isSuppressed: item.isSuppressed,
    })),
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
