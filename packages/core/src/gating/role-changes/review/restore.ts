import type { Sql, Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { lockOwnCommunity } from '../../../communities/community-records/index.ts';
import { isLockedToFile } from '../../../communities/managed-rules/index.ts';
import { auditOf, recordAudit } from '../../../services/audit/index.ts';
import type { Context } from '../../../shared/context.ts';
import { findRestorable, type RestorableRule, restoreRules } from '../../community-rules/index.ts';
import type { ChangeSetRow } from '../tables.ts';

/**
 * Restores the rules whose changes led to a change set to their version before, in a transaction that holds the community: if that is
 * `wanted`, or by default if the admin left it open.
 */
export async function restoreRulesIn(
  ctx: Context,
  tx: Tx,
  changeSet: ChangeSetRow,
  wanted: boolean | undefined,
): Promise<{ changeIds: string[]; roleIds: ReadonlySet<string> }> {
  if (wanted === false || changeSet.rule_change_ids.length === 0) {
    if (wanted === true) throw nothingToRestore();
    return { changeIds: [], roleIds: new Set() };
  }
  // As those do who change rules: nobody edits them between the look and the writing.
  await lockOwnCommunity(tx, changeSet.community_id);
  const { rules, isDefault } = await planRestore(tx, changeSet);
  const restored = rules.filter(({ before }) => before !== null);
  if (wanted === true && restored.length === 0) throw nothingToRestore();
  if (!(wanted ?? isDefault)) return { changeIds: [], roleIds: new Set() };
  const changed = await restoreRules(ctx, tx, changeSet.community_id, restored);
  for (const { rule } of changed)
    await recordAudit(tx, auditOf(ctx, 'rule.change', { communityId: changeSet.community_id, target: rule.ruleId }));
  return {
    changeIds: changed.map(({ changeId }) => changeId),
    roleIds: new Set(changed.flatMap(({ rule }) => rule.roleIds)),
  };
}

export function nothingToRestore(): AppError {
  return new AppError(
    'STATE_CONFLICT',
    'No earlier version of a rule led to these role changes, so none can be restored.',
  );
}

interface RestorePlan {
  /** The rules whose changes led to the change set and concern its roles. */
  rules: RestorableRule[];
  /**
   * Whether they are restored unless the admin decides otherwise: only if there is a version before, no rule was edited since, and the
   * rules are not locked to their file, which would bring back what was restored away.
   */
  isDefault: boolean;
}

export async function planRestore(db: Sql, changeSet: ChangeSetRow): Promise<RestorePlan> {
  const roles = await selectRolesOfChangeSet(db, changeSet.id);
  const rules = (await findRestorable(db, changeSet.community_id, changeSet.rule_change_ids)).filter(({ roleIds }) =>
    roleIds.some((roleId) => roles.has(roleId)),
  );
  const restorable = rules.filter(({ before }) => before !== null);
  const isUnedited = restorable.length > 0 && restorable.every(({ laterChangeId }) => laterChangeId === undefined);
  const isDefault = isUnedited && !(await isLockedToFile(db, changeSet.community_id));
  return { rules, isDefault };
}

/** The roles that a change set planned to change. */
async function selectRolesOfChangeSet(db: Sql, changeSetId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('change_set_items')
    .select('role_id')
    .distinct()
    .where('change_set_id', '=', changeSetId)
    .execute();
  return new Set(rows.map(({ role_id }) => role_id));
}
