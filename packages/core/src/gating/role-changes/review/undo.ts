import type { Sql, Tx } from '@latchkey/db';
import { AppError, type Page, principalId } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { selectMembers } from '../../../communities/memberships/index.ts';
import { selectRules } from '../../../communities/rule-records/index.ts';
import { PlatformFailed } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import { requirePresence } from '../../../shared/require-presence.ts';
import { readApprovalPolicy } from '../../approval-policies/index.ts';
import type { RestorableRule } from '../../community-rules/index.ts';
import { decideMember, fetchFacts } from '../../evaluation/index.ts';
import { wakeWriter } from '../applying/write-community.ts';
import { finishChangeSets, ownCauses } from '../applying/write-queries.ts';
import type { RoleChange } from '../planning/change-set.ts';
import { dropWaiting, lockCommunity, moveChangeSet, selectChangeSet } from '../planning/change-set-queries.ts';
import { type NewChangeSet, notifyOfHeld, putChangeSet } from '../planning/make-change-set.ts';
import { type DraftedRule, openScope } from '../planning/open-scope.ts';
import { pairKey, resumeUndone, suppressPairs } from '../planning/suppression-queries.ts';
import { refuseInShadow } from '../shadow/queries.ts';
import type { ChangeSetRow, ChangeSetStatus } from '../tables.ts';
import { insertApproval } from './approvals.ts';
import { ownChangeSet } from './reads.ts';
import { nothingToRestore, planRestore, restoreRulesIn } from './restore.ts';
import { findUndoBrakes } from './undo-brakes.ts';
import {
  countUndoEffects,
  countUndoShares,
  dropSuperseded,
  listUndoEffects,
  selectUndecided,
  selectUndoEffects,
  type UndoEffect,
  type UndoTotals,
} from './undo-queries.ts';

const undoable: readonly ChangeSetStatus[] = ['approved', 'applying', 'done', 'failed'];

interface RestoreOption {
  /** Whether rules whose change led to it are restored to the version before. `planRestore` decides the default. */
  restoreRule?: boolean | undefined;
}

interface UndoOptions extends RestoreOption {
  /**
   * signed-in: the caller must have signed in recently if the undo removes roles from many members. vouched: the caller's
   * platform or the operator's shell vouches for the person, as for an approval.
   */
  presence?: 'signed-in' | 'vouched';
}

/**
 * Undoes a change set with a new change set, and cancels the rest of it. What later change sets changed stays. The
 * affected pairs, written or cancelled, are suppressed until an admin requests a check of them or a rule of the role changes; otherwise the
 * next resync would repeat the change. Pairs that a restored rule decides are not suppressed. If the approval policy
 * says so, the new change set is held.
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
  { restoreRule, presence = 'vouched' }: UndoOptions = {},
): Promise<ChangeSetRow> {
  const now = ctx.clock();
  if (!(await moveChangeSet(tx, changeSet.id, undoable, { status: 'undone', finished_at: now })))
    throw cannotUndo(changeSet);
  const cancelled = await selectUndecided(tx, changeSet);
  await dropWaiting(tx, changeSet.id);
  const effects = await selectUndoEffects(tx, changeSet);
  const heldBecause = await findHeldBecause(ctx, tx, changeSet, effects, presence);
  const changes = effects.filter(({ outcome }) => outcome !== 'superseded').map((effect) => inverse(changeSet, effect));
  const rules = await restoreRulesIn(ctx, tx, changeSet, restoreRule);
  if (changeSet.undoes === null) {
    // What was not written yet must stay away too: the next check would only plan it again.
    const suppressed = [...changes, ...cancelled].filter(({ roleId }) => !rules.roleIds.has(roleId));
    await suppressPairs(tx, community.id, changeSet.id, suppressed, now);
  } else if (heldBecause === undefined) await resumeUndone(tx, changeSet);
  const planned = { community, cause: ownCauses.undo, changes, unknowns: 0, isUrgent: true };
  const newUndo = { ...planned, ruleChangeIds: rules.changeIds };
  if (heldBecause !== undefined) return holdUndo(ctx, tx, newUndo, { undoes: changeSet.id, note: heldBecause });
  const decision = { undoes: changeSet.id, decided_by: principalId(ctx.actor), decided_at: now };
  const undo = await putChangeSet(ctx, tx, newUndo, 'approved', decision);
  await wakeWriter(tx, community.id);
  return undo;
}

/** Returns why an undo must be approved, if so. Refuses callers who have not signed in recently enough for it. */
async function findHeldBecause(
  ctx: Context,
  tx: Tx,
  changeSet: ChangeSetRow,
  effects: readonly UndoEffect[],
  presence: 'signed-in' | 'vouched',
): Promise<string | undefined> {
  const reverted = effects.filter(({ outcome }) => outcome === 'revert').map((effect) => inverse(changeSet, effect));
  const shares = Map.groupBy(reverted, ({ roleId, action }) => `${action} ${roleId}`);
  const { heldBecause, needsPresence } = await findUndoBrakes(
    ctx,
    tx,
    changeSet,
    [...shares.values()].flatMap((alike) => {
      const [first] = alike;
      return first === undefined ? [] : [{ roleId: first.roleId, action: first.action, members: alike.length }];
    }),
    { isVouched: presence === 'vouched' },
  );
  if (presence === 'signed-in' && ctx.actor.kind === 'user' && needsPresence) requirePresence(ctx);
  return heldBecause;
}

/** Stores an undo that waits for approval. Where two admins must approve, requesting it is the first approval. */
async function holdUndo(
  ctx: Context,
  tx: Tx,
  undo: NewChangeSet,
  extra: { undoes: string; note: string },
): Promise<ChangeSetRow> {
  const row = await putChangeSet(ctx, tx, undo, 'held', extra);
  const { approvers } = await readApprovalPolicy(ctx, tx, row.community_id);
  if (approvers > 1)
    await insertApproval(tx, {
      change_set_id: row.id,
      community_id: row.community_id,
      approver: principalId(ctx.actor),
      approved_at: ctx.clock(),
    });
  await notifyOfHeld(ctx, tx, undo.community, row, [...new Set(undo.changes.map(({ roleId }) => roleId))]);
  return row;
}

/** Completes a held undo that was just approved: what was decided since it was requested stays. */
export async function approveUndo(tx: Tx, undo: ChangeSetRow): Promise<void> {
  const undone = undo.undoes === null ? undefined : await selectChangeSet(tx, undo.undoes);
  if (undone === undefined) return;
  await dropSuperseded(tx, undo.id, undone);
  await resumeUndone(tx, undone);
}

/**
 * Takes back a held undo that was rejected: the change set counts as applied again, without the rest that the undo
 * cancelled, and checks decide about its members as before.
 */
export async function withdrawUndo(ctx: Context, tx: Tx, undo: ChangeSetRow): Promise<void> {
  const undone = undo.undoes === null ? undefined : await selectChangeSet(tx, undo.undoes);
  if (undone === undefined) return;
  await resumeUndone(tx, undo);
  await moveChangeSet(tx, undone.id, ['undone'], { status: 'approved', finished_at: null });
  await finishChangeSets(tx, undo.community_id, ctx.clock());
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
  /** Why the undo would wait for approval; undefined if it would be applied at once. */
  heldBecause: string | undefined;
  items: Page<UndoEffect & { qualifies: boolean | undefined; isSuppressed: boolean }>;
}

/** Returns what an undo would do now, without changing anything. */
export async function previewUndo(
  ctx: Context,
  changeSetId: string,
  { restoreRule, ...request }: RestoreOption & PageRequest = {},
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
  const shares = await countUndoShares(system, changeSet);
  const { heldBecause } = await findUndoBrakes(ctx, system, changeSet, shares, { isVouched: false });
  const verdicts = await readVerdicts(ctx, community, page.items, restoresRule ? restored : []);
  const restoredRoles = new Set(restoresRule ? restored.flatMap(({ roleIds }) => roleIds) : []);
  return {
    totals: await countUndoEffects(system, changeSet),
    rules,
    restoresRule,
    heldBecause,
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
