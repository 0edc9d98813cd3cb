import type { Sql, Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { refuseLocked } from '../../communities/managed-rules/index.ts';
import {
  type CommunityRuleRow,
  insertRule,
  maxRules,
  selectRule,
  selectRuleIds,
  updateRule,
} from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuseBroken } from '../rule-assertions/index.ts';
import { check, follow, type RuleChangeRow, type RuleState, recordRuleChange } from './change-rules.ts';

/** A rule whose changes led to what is being undone, and whether it can be restored to the version before them. */
export interface RestorableRule {
  ruleId: string;
  /** The history entry that is undone; the first one if the rule was edited several times. */
  changeId: string;
  /** What the first of these changes did. */
  action: RuleChangeRow['action'];
  /** The version before; null if the rule was new, or if that version is no longer valid. */
  before: RuleState | null;
  /** The latest entry after those that are undone. */
  laterChangeId?: string;
  /** The roles in its versions. */
  roleIds: readonly string[];
}

/**
 * Returns the rules that these history entries belong to, with the version before each, and whether it was edited
 * since.
 */
export async function findRestorable(
  db: Sql,
  communityId: string,
  changeIds: readonly string[],
): Promise<RestorableRule[]> {
  if (changeIds.length === 0) return [];
  const changes = await db
    .selectFrom('community_rule_changes')
    .selectAll()
    .where('community_id', '=', communityId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...changeIds])))
    .orderBy('id')
    .execute();
  const rules: RestorableRule[] = [];
  for (const [ruleId, made] of Map.groupBy(changes, ({ rule_id }) => rule_id)) {
    const [first] = made;
    const last = made.at(-1);
    if (first === undefined || last === undefined) continue;
    const later = await db
      .selectFrom('community_rule_changes')
      .select('id')
      .where('community_id', '=', communityId)
      .where('rule_id', '=', ruleId)
      .where('id', '>', last.id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    const before = first.before === null ? undefined : readVersion(first.before);
    const states = made.flatMap(({ before, after }) => [before, after]).filter((state) => state !== null);
    const roleIds = states.flatMap((state) => [state.roleId, readVersion(state)?.composedRoleId]);
    rules.push({
      ruleId,
      changeId: String(first.id),
      action: first.action,
      before: before === undefined ? null : first.before,
      ...(later !== undefined && { laterChangeId: String(later.id) }),
      roleIds: [...new Set(roleIds.filter((id) => id !== undefined))],
    });
  }
  return rules;
}

/** Whether there are such history entries, and this person made all of them. */
export async function madeAllRuleChanges(
  db: Sql,
  communityId: string,
  changeIds: readonly string[],
  userId: string,
): Promise<boolean> {
  if (changeIds.length === 0) return false;
  const rows = await db
    .selectFrom('community_rule_changes')
    .select('changed_by')
    .where('community_id', '=', communityId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...changeIds])))
    .execute();
  return rows.length === changeIds.length && rows.every(({ changed_by }) => changed_by === userId);
}

/** Undefined for a version that is no longer valid: validation may have become stricter since. */
function readVersion({ definition }: RuleState): ReturnType<typeof check> | undefined {
  try {
    return check(definition);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/**
 * Restores the version before of each of these rules, in a transaction that holds the community lock. Members are
 * checked afterwards, as after any rule change. Returns the rules that changed, with their new history entries.
 */
export async function restoreRules(
  ctx: Pick<Context, 'actor' | 'clock' | 'random'>,
  tx: Tx,
  communityId: string,
  rules: readonly RestorableRule[],
): Promise<{ rule: RestorableRule; changeId: string }[]> {
  await refuseLocked(tx, communityId);
  const restoredRules: { rule: RestorableRule; changeId: string }[] = [];
  for (const rule of rules) {
    const { ruleId, before } = rule;
    if (before === null) continue;
    const current = await selectRule(tx, communityId, ruleId);
    if (current === undefined && (await selectRuleIds(tx, communityId)).size >= maxRules)
      throw new AppError(
        'PLAN_LIMIT_REACHED',
        `A community can have at most ${maxRules} rules, so the deleted rule cannot be restored. Remove one, or continue without restoring it.`,
      );
    const now = ctx.clock();
    const restored: CommunityRuleRow = {
      id: ruleId,
      community_id: communityId,
      role_id: before.roleId,
      definition: before.definition,
      visibility: before.visibility,
      created_at: current?.created_at ?? now,
      updated_at: now,
    };
    if (current === undefined) await insertRule(tx, restored);
    else await updateRule(tx, restored);
    const changeId = await recordRuleChange(ctx, tx, { before: current, after: restored });
    if (changeId === undefined) continue;
    restoredRules.push({ rule, changeId });
    await follow(ctx, tx, restored, check(before.definition), {
      changeId,
      formerRoleId: current?.role_id,
    });
  }
  if (restoredRules.length > 0) await refuseBroken(tx, communityId);
  return restoredRules;
}
