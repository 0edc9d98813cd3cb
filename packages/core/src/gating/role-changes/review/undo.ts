import type { Sql, Tx } from '@latchkey/db';
import { AppError, type Page, principalId } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { selectMembers } from '../../../communities/memberships/index.ts';
import { selectRules } from '../../../communities/rule-records/index.ts';
import { PlatformFailed } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import type { RestorableRule } from '../../community-rules/index.ts';
import { decideMember, fetchFacts } from '../../evaluation/index.ts';
import { wakeWriter } from '../applying/write-community.ts';
import { ownCauses } from '../applying/write-queries.ts';
import type { RoleChange } from '../planning/change-set.ts';
import { dropWaiting, lockCommunity, moveChangeSet } from '../planning/change-set-queries.ts';
import { putChangeSet } from '../planning/make-change-set.ts';
import { type DraftedRule, openScope } from '../planning/open-scope.ts';
import { pairKey, resumePairs, suppressPairs } from '../planning/suppression-queries.ts';
import { refuseInShadow } from '../shadow/queries.ts';
import type { ChangeSetRow, ChangeSetStatus } from '../tables.ts';
import { ownChangeSet } from './reads.ts';
import { nothingToRestore, planRestore, restoreRulesIn } from './restore.ts';
import {
  countUndoEffects,
  listUndoEffects,
  selectUndoEffects,
  type UndoEffect,
  type UndoTotals,
} from './undo-queries.ts';

const undoable: readonly ChangeSetStatus[] = ['approved', 'applying', 'done', 'failed'];

interface UndoOptions {
  /** Whether rules whose change led to it are restored to the version before. `planRestore` decides the default. */
  restoreRule?: boolean | undefined;
}

/**
 * Undoes a change set with a new change set, and cancels the rest of it. What later change sets changed stays. The
 * affected pairs are suppressed until an admin requests a check of them or a rule of the role changes; otherwise the
 * next resync would repeat the change. Pairs that a restored rule decides are not suppressed.
 */
export async function undoChangeSet(
  ctx: Context,
  changeSetId: string,
  options: UndoOptions = {},
): Promise<ChangeSetRow> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  return ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    return undoChangeSetIn(ctx, tx, changeSet, community, options);
  });
}

/** The same, in a transaction that holds the community lock. */
export async function undoChangeSetIn(
  ctx: Context,
  tx: Tx,
  changeSet: ChangeSetRow,
  community: CommunityRow,
  { restoreRule }: UndoOptions = {},
): Promise<ChangeSetRow> {
  const now = ctx.clock();
  if (!(await moveChangeSet(tx, changeSet.id, undoable, { status: 'undone', finished_at: now })))
    throw cannotUndo(changeSet);
  await dropWaiting(tx, changeSet.id);
  const effects = await selectUndoEffects(tx, changeSet);
  const changes = effects.filter(({ outcome }) => outcome !== 'superseded').map((effect) => inverse(changeSet, effect));
  const rules = await restoreRulesIn(ctx, tx, changeSet, restoreRule);
  const isRestored = ({ roleId }: RoleChange) => rules.roleIds.has(roleId);
  if (changeSet.undoes === null) {
    const suppressed = changes.filter((change) => !isRestored(change));
    await suppressPairs(tx, community.id, changeSet.id, suppressed, now);
  } else await resumePairs(tx, community.id, changeSet.undoes, changes);
  const undo = await putChangeSet(
    ctx,
    tx,
    { community, cause: ownCauses.undo, changes, unknowns: 0, isUrgent: true, ruleChangeIds: rules.changeIds },
    'approved',
    { undoes: changeSet.id, decided_by: principalId(ctx.actor), decided_at: now },
  );
  await wakeWriter(tx, community.id);
  return undo;
}

function inverse(changeSet: ChangeSetRow, { user_id, role_id, action }: UndoEffect): RoleChange {
  return {
    userId: user_id,
    roleId: role_id,
    action: action === 'grant' ? 'revoke' : 'grant',
    reason: { undoes: changeSet.id },
    blocks: {},
  };
}

function cannotUndo({ status }: ChangeSetRow): AppError {
  if (status === 'dropped')
    return new AppError('STATE_CONFLICT', 'This change set changed no role, so there is nothing to undo.');
  return new AppError('STATE_CONFLICT', `Only an applied change set can be undone; this one is ${status}.`);
}

export interface UndoPreview {
  totals: UndoTotals;
  rules: RestorableRule[];
  /** Whether the undo restores the rules, as requested or by default. */
  restoresRule: boolean;
  items: Page<UndoEffect & { qualifies: boolean | undefined; isSuppressed: boolean }>;
}

/** Returns what an undo would do now, without changing anything. */
export async function previewUndo(
  ctx: Context,
  changeSetId: string,
  { restoreRule, ...request }: UndoOptions & PageRequest = {},
): Promise<UndoPreview> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  if (!undoable.includes(changeSet.status)) throw cannotUndo(changeSet);
  const { system } = ctx.db;
  const { rules, isDefault } = await planRestore(system, changeSet);
  const restored = rules.filter(({ before }) => before !== null);
  if (restoreRule === true && restored.length === 0) throw nothingToRestore();
  const restoresRule = restoreRule ?? isDefault;
  const page = await paginate(ctx, request, {
    list: `undo:${changeSet.id}`,
    read: (after, limit) => listUndoEffects(system, changeSet, after, limit),
    cursorOf: ({ user_id, role_id }) => [user_id, role_id],
  });
  const verdicts = await readVerdicts(ctx, community, page.items, restoresRule ? restored : []);
  const restoredRoles = new Set(restoresRule ? restored.flatMap(({ roleIds }) => roleIds) : []);
  return {
    totals: await countUndoEffects(system, changeSet),
    rules,
    restoresRule,
    items: {
      ...page,
      items: page.items.map((effect) => ({
        ...effect,
        qualifies: verdicts.get(pairKey({ userId: effect.user_id, roleId: effect.role_id })),
        isSuppressed:
          effect.outcome !== 'superseded' && changeSet.undoes === null && !restoredRoles.has(effect.role_id),
      })),
    },
  };
}

/** What the rules say about these members, by pair. Unknown pairs are absent. */
async function readVerdicts(
  ctx: Context,
  community: CommunityRow,
  effects: readonly UndoEffect[],
  restored: readonly RestorableRule[],
): Promise<Map<string, boolean>> {
  const verdicts = new Map<string, boolean>();
  const userIds = [...new Set(effects.map(({ user_id }) => user_id))];
  if (userIds.length === 0) return verdicts;
  try {
    const drafted = restored.length === 0 ? undefined : await withVersions(ctx.db.system, community.id, restored);
    const options = { requested: new Set<string>(), fresh: false };
    const scope = await openScope(ctx, community, options, drafted && { rules: drafted });
    if (scope === undefined) return verdicts;
    const facts = await fetchFacts(ctx, scope, userIds, { from: 'store' });
    for (const { user_id: userId, role_ids: roleIds } of await selectMembers(ctx.db.system, community.id, userIds))
      for (const { roleId, truth } of await decideMember(scope.rules, facts, { userId, roleIds }))
        if (truth !== 'unknown') verdicts.set(pairKey({ userId, roleId }), truth === 'true');
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
  }
  return verdicts;
}

/** The rules of a community with these restored to the version before. */
async function withVersions(db: Sql, communityId: string, restored: readonly RestorableRule[]): Promise<DraftedRule[]> {
  const versions = restored.flatMap(({ ruleId, before }): DraftedRule[] =>
    before === null ? [] : [{ id: ruleId, role_id: before.roleId, definition: before.definition }],
  );
  const isRestored = ({ id }: DraftedRule) => versions.some((version) => version.id === id);
  const rows = await selectRules(db, communityId);
  return [...rows.filter((row) => !isRestored(row)), ...versions];
}
