import type { Tx } from '@latchkey/db';
import { AppError, notFound, principalId } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { selectMembers } from '../../../communities/memberships/index.ts';
import { announce } from '../../../services/live-updates/index.ts';
import type { Context } from '../../../shared/context.ts';
import { notifyAdminsSoon } from '../../../shared/find-notices.ts';
import { requirePresence } from '../../../shared/require-presence.ts';
import { readApprovalPolicy } from '../../approval-policies/index.ts';
import { retryBreakers } from '../applying/breaker-queries.ts';
import { wakeWriter } from '../applying/write-community.ts';
import {
  finishChangeSets,
  followsFromRules,
  ownCauses,
  reviveItems,
  selectItemsOf,
} from '../applying/write-queries.ts';
import {
  countPlannedGrants,
  dropPlannedRemovals,
  dropWaiting,
  lockCommunity,
  moveChangeSet,
  releaseItems,
  selectChangeSet,
  selectUnwritten,
} from '../planning/change-set-queries.ts';
import { reconcileNow } from '../planning/preview.ts';
import { pairKey, suppressPairs } from '../planning/suppression-queries.ts';
import { refuseInShadow } from '../shadow/queries.ts';
import type { ChangeSetRow, ChangeSetStatus } from '../tables.ts';
import { insertApproval, selectApprovals } from './approvals.ts';
import { refuseIfChanged } from './held-now.ts';
import { ownChangeSet, summarizeChangeSet } from './reads.ts';
import { restoreRulesIn } from './restore.ts';
import { approveUndo, withdrawUndo } from './undo.ts';
import { removesMany } from './undo-brakes.ts';

const undecided: readonly ChangeSetStatus[] = ['previewed', 'held'];

/** What the admin saw when deciding. */
interface Seen {
  /** How many changes were waiting. If it is not the number of now, the decision is refused. */
  seen?: number | undefined;
}

/** A stolen session must not be able to remove a role from many members. Chat platforms sign every click of their own. */
export async function requireApproverPresence(ctx: Context, { id }: CommunityRow, changeSetId: string): Promise<void> {
  const policy = await readApprovalPolicy(ctx, ctx.db.system, id);
  const removals = (await summarizeChangeSet(ctx, changeSetId))
    .filter(({ action }) => action === 'revoke')
    .map(({ roleId, waiting }) => ({ roleId, members: waiting }));
  if (ctx.actor.kind === 'user' && removesMany(policy, removals)) requirePresence(ctx);
}

/** Approves a previewed or held change set. */
export async function approveChangeSet(ctx: Context, changeSetId: string, { seen }: Seen = {}): Promise<void> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id, changeSet.id);
    await refuseUnseen(tx, changeSet, seen);
    await approveIn(ctx, tx, changeSet, community);
  });
}

/** Of a change set that was decided meanwhile, the caller reads who decided. */
async function refuseUnseen(tx: Tx, { id }: ChangeSetRow, seen: number | undefined): Promise<void> {
  const now = seen === undefined ? undefined : await selectChangeSet(tx, id);
  if (now !== undefined && undecided.includes(now.status)) await refuseIfChanged(tx, now, seen);
}

async function approveIn(ctx: Context, tx: Tx, changeSet: ChangeSetRow, community: CommunityRow): Promise<void> {
  if (changeSet.status === 'held' && !(await hasAllApprovals(ctx, tx, changeSet))) return;
  if (!(await moveChangeSet(tx, changeSet.id, undecided, { status: 'approved', ...decision(ctx) })))
    throw await decided(tx, community, changeSet.id);
  await approveUndo(tx, changeSet);
  await releaseItems(tx, changeSet.id);
  await wakeWriter(tx, community.id);
  await notifyAdminsSoon(tx);
}

/**
 * Approves the grants of a change set and rejects its removals. Members keep the roles that it would have removed, as after a rejection:
 * until an admin starts a check of them or the rules change. Where two admins must approve, one is enough to reject the removals, and
 * the grants wait for the other.
 */
export async function approveGrants(ctx: Context, changeSetId: string, { seen }: Seen = {}): Promise<void> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id, changeSet.id);
    const now = await selectChangeSet(tx, changeSet.id);
    if (now === undefined || !undecided.includes(now.status)) throw await decided(tx, community, changeSet.id);
    await refuseIfChanged(tx, now, seen);
    if ((await countPlannedGrants(tx, now.id)) === 0)
      throw new AppError('STATE_CONFLICT', 'This change set gives no role. Approve or reject it instead.');
    const rejected = await dropPlannedRemovals(tx, now.id);
    await suppressPairs(tx, community.id, now.id, rejected, ctx.clock());
    const approvals = await selectApprovals(tx, now.id);
    // An admin who approved all of it before may still reject the removals.
    if (rejected.length > 0 && approvals.some(({ approver }) => approver === principalId(ctx.actor)))
      await announce(tx, { changed: 'changeSets', id: now.id, community: community.id });
    else await approveIn(ctx, tx, now, community);
  });
}

/** Adds the caller's approval and returns whether it was the last one that the community's policy requires. */
async function hasAllApprovals(ctx: Context, tx: Tx, { id, community_id }: ChangeSetRow): Promise<boolean> {
  const { approvers } = await readApprovalPolicy(ctx, tx, community_id);
  if (approvers <= 1) return true;
  if ((await selectChangeSet(tx, id))?.status !== 'held') return true;
  const approver = principalId(ctx.actor);
  const before = await selectApprovals(tx, id);
  if (before.some((approval) => approval.approver === approver))
    throw new AppError(
      'STATE_CONFLICT',
      'You have already approved these role changes. Another admin must approve them.',
    );
  await insertApproval(tx, { change_set_id: id, community_id, approver, approved_at: ctx.clock() });
  await announce(tx, { changed: 'changeSets', id, community: community_id });
  return before.length + 1 >= approvers;
}

/**
 * Rejects a change set: a held one, or the rest of a failed one. Members keep the roles that it would have changed,
 * until an admin requests a check or the rules change.
 */
export async function rejectChangeSet(ctx: Context, changeSetId: string): Promise<void> {
  await rejectWith(ctx, changeSetId, [...undecided, 'failed']);
}

/**
 * Rejects a change set and restores the rules whose change led to it to their version before, both or neither. The restored rules
 * decide about their roles from then on.
 */
export async function rejectAndRestore(ctx: Context, changeSetId: string): Promise<void> {
  await rejectWith(ctx, changeSetId, undecided, { restoreRule: true });
}

async function rejectWith(
  ctx: Context,
  changeSetId: string,
  from: readonly ChangeSetStatus[],
  { restoreRule = false }: { restoreRule?: boolean } = {},
): Promise<void> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const changes = { status: 'rejected' as const, finished_at: ctx.clock(), ...decision(ctx) };
    const before = await selectChangeSet(tx, changeSet.id);
    if (!(await moveChangeSet(tx, changeSet.id, from, changes))) throw await decided(tx, community, changeSet.id);
    const restored = await restoreRulesIn(ctx, tx, changeSet, restoreRule);
    if (restored.changeIds.length > 0)
      await moveChangeSet(tx, changeSet.id, ['rejected'], { restored_rule_change_ids: restored.changeIds });
    if (before?.status === 'held' && before.undoes !== null) await withdrawUndo(ctx, tx, before);
    else if (before?.status !== 'previewed') {
      const pairs = await selectUnwritten(tx, changeSet.id);
      const suppressed = pairs.filter(({ roleId }) => !restored.roleIds.has(roleId));
      await suppressPairs(tx, community.id, changeSet.id, suppressed, ctx.clock());
    }
    await dropWaiting(tx, changeSet.id);
    await notifyAdminsSoon(tx);
  });
}

function decision(ctx: Context): Pick<ChangeSetRow, 'decided_by' | 'decided_at'> {
  return { decided_by: principalId(ctx.actor), decided_at: ctx.clock() };
}

/** Explains who decided first, by the current state: what the caller saw may be outdated. */
async function decided(tx: Tx, community: CommunityRow, changeSetId: string): Promise<AppError> {
  const now = await selectChangeSet(tx, changeSetId);
  const advice = 'Only a pending change set can be approved or rejected';
  if (now === undefined) return notFound('change set');
  const { status, decided_by, decided_at } = now;
  if (decided_by === null || decided_at === null)
    return new AppError('STATE_CONFLICT', `${advice}; this one is ${status}.`);
  const [decider] = await selectMembers(tx, community.id, [decided_by]);
  const who = decider?.user_name ?? (decided_by.startsWith('$') ? 'the operator' : decided_by);
  const verb = status === 'rejected' ? 'rejected' : 'approved';
  return new AppError(
    'STATE_CONFLICT',
    `${advice}; this one is ${status}. It was ${verb} by ${who} at ${decided_at.toISOString()}.`,
  );
}

/**
 * Retries a failed change set. Changes that are blocked because the platform refused them are tried at once; changes
 * that failed after several tries are requeued if a check of their members still wants them.
 */
export async function retryChangeSet(ctx: Context, changeSetId: string): Promise<void> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  if (changeSet.status !== 'failed') throw notFailed(changeSet);
  if (changeSet.cause === ownCauses.join)
    throw new AppError('STATE_CONFLICT', 'Open join requests are retried automatically.');
  const items = await selectItemsOf(ctx.db.system, [changeSet.id]);
  const wanted = await findWanted(ctx, community, changeSet, items);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    const changes = { status: 'approved' as const, finished_at: null, note: null };
    if (!(await moveChangeSet(tx, changeSet.id, ['failed'], changes))) throw notFailed(changeSet);
    await reviveItems(tx, changeSet.id, wanted);
    const waiting = items.filter(({ state }) => state === 'pending' || state === 'failed');
    await retryBreakers(tx, community.id, [...new Set(waiting.map((item) => item.role_id))]);
    await finishChangeSets(tx, community.id, ctx.clock());
    await wakeWriter(tx, community.id);
  });
}

type Item = Awaited<ReturnType<typeof selectItemsOf>>[number];

/** Of the failed items, those that are still to be written. */
async function findWanted(
  ctx: Context,
  community: CommunityRow,
  { cause }: ChangeSetRow,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const failed = items.filter(({ state }) => state === 'failed');
  if (failed.length === 0 || !followsFromRules(cause)) return failed;
  const userIds = [...new Set(failed.map((item) => item.user_id))];
  const { members, former } = await reconcileNow(ctx, community, userIds, { liftSuppressions: false });
  const changes = [...members, ...former].flatMap((member) => member.changes);
  const requested = new Set(changes.map((change) => `${pairKey(change)}/${change.action}`));
  return failed.filter((item) => requested.has(`${item.user_id}/${item.role_id}/${item.action}`));
}

function notFailed({ status }: ChangeSetRow): AppError {
  return new AppError('STATE_CONFLICT', `Only a failed change set can be retried; this one is ${status}.`);
}
