import { enqueue, sql } from '@latchkey/db';
import { job, type Schedule, shape, T } from '@latchkey/kernel';
import {
  checkCommunity,
  dequeue,
  dequeueAll,
  dequeueEveryone,
  enqueueMembers,
  lockQueued,
  noteRuleChanges,
  postponeQueued,
  type QueuedMember,
  selectDue,
  selectDueCommunities,
  selectEveryone,
} from '../../communities/reconcile-queue/index.ts';
import type { Context } from '../../shared/context.ts';
import { gatingSettings } from '../evaluation/index.ts';
import { startResyncs } from '../followers/index.ts';
import { deleteOldHoldings } from '../holdings/index.ts';
import { isStopped, openBreaker, retryBreakers } from './applying/breaker-queries.ts';
import {
  takeOverCommunity,
  wakeCommunity,
  wakeLater,
  wakeTakeOver,
  wakeWriter,
  writeCommunity,
  writeWaiting,
} from './applying/write-community.ts';
import { dropOfChangedRules } from './applying/write-queries.ts';
import {
  closeEmptyChangeSets,
  deleteOldChangeSets,
  dropItems,
  lockCommunity,
  type OpenItem,
} from './planning/change-set-queries.ts';
import { deleteOldDifferences, selectShadowOn, selectTakeOvers } from './shadow/queries.ts';
import { goOnTakingOver } from './shadow/take-over.ts';
import './tables.ts';
import { type CommunityRow, holdCommunity, selectCommunity } from '../../communities/community-records/index.ts';
import { syncMembers } from '../../communities/members/index.ts';
import { markChecked, selectLeftWithRoles, selectPresent } from '../../communities/memberships/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import { makeChangeSets } from './planning/make-change-set.ts';
import { openScope } from './planning/open-scope.ts';
import { type ReconcileContext, type ReconciledMember, reconcile, type Scope } from './planning/reconcile.ts';
import { resumeMembers, resumeRoles } from './planning/suppression-queries.ts';

type CheckContext = ReconcileContext & Pick<Context, 'hosts' | 'random'>;

/** Members that are read and evaluated per batch, and the maximum number of members per change set. */
const batchMembers = 2_500;
const changeSetMembers = 25_000;
/** A check of few members that an admin requested ignores everything stored. */
const fewMembers = 100;

const firstRetrySeconds = 30;
const mostAttempts = 7;

/**
 * Reconciles the queued members of a community and creates change sets. Safe to run again: it continues where it
 * stopped.
 */
export async function reconcileCommunityJob(
  ctx: CheckContext,
  communityId: string,
  signal?: AbortSignal,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) return;
  const host = ctx.hosts[community.platform];
  // All members are queued again when the community becomes active.
  if (community.status !== 'active') return dequeueAll(ctx.db.system, community.id);
  // Another worker may be connected to this platform: due communities are enqueued every minute until one takes them.
  if (host === undefined) return;
  try {
    await queueEveryMember(ctx, community, signal);
    const queued = await selectDue(ctx.db.system, community.id, ctx.clock(), changeSetMembers);
    if (queued.length === 0) return;
    const requested = new Set(queued.filter((queued) => queued.is_requested).map((queued) => queued.user_id));
    const fresh = requested.size > 0 && queued.length <= fewMembers;
    const scope = await openScope(ctx, community, { requested: requested, fresh, signal });
    if (scope !== undefined) await reconcileAndPlan(ctx, scope, queued);
    if (queued.length === changeSetMembers)
      await enqueue(ctx.db.system, checkCommunity, { communityId }, { uniqueKey: communityId });
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    // Only an admin can fix this on the platform; the next resync tries again.
    const fault = error.kind === 'forbidden' ? 'refused' : 'no-access';
    await openBreaker(ctx.db.system, community.id, { fault, advice: error.message }, ctx.clock());
    await dequeueAll(ctx.db.system, community.id);
  }
}

/** Queues a check of every member that the platform lists. */
async function queueEveryMember(ctx: CheckContext, community: CommunityRow, signal?: AbortSignal): Promise<void> {
  const everyone = await selectEveryone(ctx.db.system, community.id, ctx.clock());
  const host = ctx.hosts[community.platform];
  if (everyone === undefined || host === undefined) return;
  await syncMembers(ctx, host, community, signal);
  const ruleChangeIds = await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const former = await dropOfChangedRules(tx, community.id, everyone.role_ids);
    const all = [...new Set([...everyone.rule_change_ids, ...former])];
    await noteRuleChanges(tx, community.id, all);
    await closeEmptyChangeSets(tx, community.id, ctx.clock());
    // The cause of a breaker may have been fixed on the platform: reading its roles, or one retry, finds out. New
    // faults are found even if nothing is pending.
    await retryBreakers(tx, community.id);
    await wakeWriter(tx, community.id);
    return all;
  });
  await ctx.db.transaction('system', async (tx) => {
    await holdCommunity(tx, community.id);
    for (let after = ''; ; ) {
      const page = await selectPresent(tx, community.id, after, batchMembers);
      const ids = page.map((row) => row.user_id);
      await enqueueMembers(tx, community.id, ids, { ...everyone, rule_change_ids: ruleChangeIds });
      after = ids.at(-1) ?? '';
      if (page.length < batchMembers) break;
    }
    const left = host.readLeftRoles === undefined ? [] : await selectLeftWithRoles(tx, community.id);
    await enqueueMembers(tx, community.id, left, { ...everyone, rule_change_ids: ruleChangeIds });
    if (everyone.cause === 'rule')
      await resumeRoles(tx, community.id, everyone.role_ids.length > 0 ? everyone.role_ids : undefined);
    await dequeueEveryone(tx, community.id, everyone);
  });
}

async function reconcileAndPlan(ctx: CheckContext, scope: Scope, queued: readonly QueuedMember[]): Promise<void> {
  const members: Pick<ReconciledMember, 'row' | 'changes' | 'blocks'>[] = [];
  const outdated: OpenItem[] = [];
  const unknown = new Set<string>();
  for (let from = 0; from < queued.length; from += batchMembers) {
    scope.signal?.throwIfAborted();
    const ids = queued.slice(from, from + batchMembers).map((queued) => queued.user_id);
    const reconciled = await reconcile(ctx, scope, ids);
    outdated.push(...reconciled.outdated);
    for (const userId of reconciled.unread) unknown.add(userId);
    for (const { row, changes, blocks, verdicts } of [...reconciled.members, ...reconciled.former]) {
      if (verdicts.some(({ truth }) => truth === 'unknown')) unknown.add(row.user_id);
      members.push({ row, changes, blocks });
    }
  }
  const { community, requested } = scope;
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    // In shadow mode only the undo of a takeover is open, which an admin decided against the rules.
    const unwanted = (await selectShadowOn(tx, community.id)) === undefined ? outdated : [];
    const dropped = new Set((await dropItems(tx, community.id, unwanted)).map((item) => item.user_id));
    await closeEmptyChangeSets(tx, community.id, ctx.clock());
    if (requested.size > 0) await resumeMembers(tx, community.id, [...requested]);
    const changeSets = await makeChangeSets(ctx, tx, {
      community,
      cause: causeOf(queued),
      changes: members.flatMap(({ changes }) => changes),
      reconciled: members.map(({ row }) => row.user_id),
      unknowns: unknown.size,
      isUrgent: queued.length <= fewMembers && queued.every(({ cause }) => cause !== 'schedule'),
      requested: requested,
      queuedAt: earliest(queued.map(({ since }) => since)),
      ruleChangeIds: [...new Set(queued.flatMap(({ rule_change_ids }) => rule_change_ids))],
    });
    // Members before the queue, in the same order as `noteMember`, to avoid a deadlock.
    await markChecked(
      tx,
      community.id,
      members.map(({ row, blocks }) => ({ userId: row.user_id, blocks })),
      ctx.clock(),
    );
    await lockQueued(tx, community.id, queued);
    await announce(tx, { changed: 'members', community: community.id });
    // An item that was already being written against this decision is checked again.
    const late = new Set(unwanted.map((item) => item.user_id).filter((userId) => !dropped.has(userId)));
    const retried = queued.filter(({ user_id, attempts }) => unknown.has(user_id) && attempts < mostAttempts);
    await postpone(ctx, tx, community.id, retried);
    const kept = new Set([...late, ...retried.map((queued) => queued.user_id)]);
    await dequeue(
      tx,
      community.id,
      queued.filter((queued) => !kept.has(queued.user_id)),
    );
    if (late.size > 0) await wakeLater(tx, community.id, 1);
    if (changeSets.some((changeSet) => changeSet.status === 'approved')) await wakeWriter(tx, community.id);
  });
}

function causeOf(queued: readonly QueuedMember[]): string {
  const causes = new Set(queued.map((queued) => queued.cause));
  return [...causes].toSorted().join(', ');
}

function earliest(dates: readonly Date[]): Date | undefined {
  return dates.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

/** Retries members with unknown results at growing intervals, until the next resync covers them. */
async function postpone(
  ctx: CheckContext,
  tx: Parameters<typeof postponeQueued>[0],
  communityId: string,
  queued: readonly QueuedMember[],
): Promise<void> {
  for (const [attempts, alike] of Map.groupBy(queued, (queued) => queued.attempts)) {
    const pauseSeconds = firstRetrySeconds * 2 ** attempts;
    await postponeQueued(tx, communityId, alike, new Date(ctx.clock().getTime() + pauseSeconds * 1000));
    await wakeLater(tx, communityId, pauseSeconds);
  }
}

const Nothing = shape(T.Record(T.String(), T.Never()));

export const check = job(
  checkCommunity.name,
  { payload: checkCommunity.payload, timeoutSeconds: 900 },
  (ctx: Context, { communityId }, { signal }) => reconcileCommunityJob(ctx, communityId, signal),
);

export const write = job(
  writeCommunity.name,
  { payload: writeCommunity.payload, timeoutSeconds: 600 },
  (ctx: Context, { communityId }, { signal }) => writeWaiting(ctx, communityId, signal),
);

export const takeOver = job(
  takeOverCommunity.name,
  { payload: takeOverCommunity.payload, timeoutSeconds: 900, maxRunningPerGroup: 1 },
  (ctx: Context, { communityId }, { signal }) => goOnTakingOver(ctx, communityId, signal),
);

export const wake = job(
  wakeCommunity.name,
  { payload: wakeCommunity.payload },
  async (ctx: Context, { communityId }) => {
    await enqueue(ctx.db.system, checkCommunity, { communityId }, { uniqueKey: communityId });
    await wakeWriter(ctx.db.system, communityId);
  },
);

export const startDue = job('gating.start-due', { payload: Nothing }, async (ctx: Context) => {
  await startResyncs(ctx);
  await wakeDue(ctx);
});

const holdingsAtOnce = 5_000;
const changeSetsAtOnce = 20;
const changeSetDays = 90;
const previewDays = 7;

/** Deletes holdings that are too old to count, and change sets too old to undo; the ledger keeps what they did. */
export const removeOld = job('gating.remove-old', { payload: Nothing }, async (ctx: Context, _payload, { signal }) => {
  const secondsAgo = (seconds: number) => new Date(ctx.clock().getTime() - seconds * 1000);
  const readBefore = secondsAgo(gatingSettings(ctx).rereadSeconds);
  const finishedBefore = secondsAgo(changeSetDays * daySeconds);
  const previewedBefore = secondsAgo(previewDays * daySeconds);
  const { system } = ctx.db;
  // In batches, so that no statement holds many locks or runs into its time limit.
  while (!signal.aborted && (await deleteOldHoldings(system, readBefore, holdingsAtOnce)) === holdingsAtOnce);
  while (!signal.aborted && (await deleteOldDifferences(system, finishedBefore, holdingsAtOnce)) === holdingsAtOnce);
  while (
    !signal.aborted &&
    (await deleteOldChangeSets(system, finishedBefore, previewedBefore, changeSetsAtOnce)) === changeSetsAtOnce
  );
});

const daySeconds = 24 * 60 * 60;

export const gatingJobs = [check, write, takeOver, wake, startDue, removeOld] as const;

export const gatingSchedules: readonly Schedule[] = [
  { name: 'gating.start-due', cron: '* * * * *', job: startDue },
  { name: 'gating.remove-old', cron: '41 * * * *', job: removeOld },
];

/** Enqueues jobs for work that is due, or whose job was lost. */
export async function wakeDue(ctx: Pick<Context, 'clock' | 'db'>): Promise<void> {
  const now = ctx.clock();
  for (const communityId of await selectDueCommunities(ctx.db.system, now))
    await enqueue(ctx.db.system, checkCommunity, { communityId }, { uniqueKey: communityId });
  const { rows } = await sql<{ community_id: string }>`
    select distinct i.community_id from change_set_items i
    where i.state in ('pending', 'sent') and (i.due_at is null or i.due_at <= ${now}) and not ${isStopped}`.execute(
    ctx.db.system,
  );
  for (const { community_id } of rows) await wakeWriter(ctx.db.system, community_id);
  for (const communityId of await selectTakeOvers(ctx.db.system)) await wakeTakeOver(ctx.db.system, communityId);
}
