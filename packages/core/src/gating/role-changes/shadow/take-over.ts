import type { Tx } from '@latchkey/db';
import { type CommunityRow, selectCommunity } from '../../../communities/community-records/index.ts';
import { syncMembers } from '../../../communities/members/index.ts';
import { countPresent, selectPresent } from '../../../communities/memberships/index.ts';
import { enqueueReconcile } from '../../../communities/reconcile-queue/index.ts';
import { PlatformFailed } from '../../../ports/index.ts';
import { announce } from '../../../services/live-updates/index.ts';
import type { Context } from '../../../shared/context.ts';
import { wakeTakeOver, wakeWriter } from '../applying/write-community.ts';
import {
  dropWaiting,
  insertItems,
  lockCommunity,
  moveChangeSet,
  releaseItems,
  selectChangeSet,
} from '../planning/change-set-queries.ts';
import { openScope } from '../planning/open-scope.ts';
import { type ReconciledMember, reconcile, type Scope } from '../planning/reconcile.ts';
import { resumeRoles } from '../planning/suppression-queries.ts';
import type { ChangeSetRow } from '../tables.ts';
import {
  addToChangeSet,
  giveUpWaiting,
  notAsked,
  noteProblem,
  putShadow,
  removeChangeSet,
  type ShadowRow,
  selectAsked,
  startCounting,
} from './queries.ts';

const batchMembers = 2_500;
/**
 * After this many members the job ends and enqueues the next one, so that it never hits its time limit, however large
 * the community is.
 */
const membersPerJob = 25_000;

/**
 * Continues a requested takeover: checks members batch by batch and collects the differences in its change set, which
 * is approved once every member was checked. After a kill, it resumes with the first batch that is not in the change
 * set.
 */
export async function goOnTakingOver(ctx: Context, communityId: string, signal: AbortSignal): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  const takeOver = await selectAsked(ctx.db.system, communityId);
  // Another worker may be connected to this platform.
  if (community === undefined || takeOver === undefined || ctx.hosts[community.platform] === undefined) return;
  try {
    const scope = await openScope(ctx, community, { requested: new Set(), fresh: false, signal });
    if (scope === undefined) return await giveUp(ctx, community, 'The community is paused.');
    if (takeOver.take_over_members === null) {
      await syncMembers(ctx, scope.host, community, signal);
      const counted = await countPresent(ctx.db.system, [community.id]);
      await startCounting(ctx.db.system, community.id, counted.get(community.id) ?? 0);
    }
    for (let checked = 0; checked < membersPerJob; checked += batchMembers) {
      signal.throwIfAborted();
      if (!(await takeBatch(ctx, scope))) return;
    }
    await wakeTakeOver(ctx.db.system, community.id);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind !== 'unavailable') return giveUp(ctx, community, error.message);
    await noteProblem(ctx.db.system, community.id, 'The chat platform is not responding. Latchkey will retry.');
    await announce(ctx.db.system, { changed: 'changeSets', community: community.id });
    throw error;
  }
}

/** Checks the next members. Returns whether there are more. */
async function takeBatch(ctx: Context, scope: Scope): Promise<boolean> {
  const { community } = scope;
  const from = await selectAsked(ctx.db.system, community.id);
  if (from === undefined) return false;
  const page = await selectPresent(ctx.db.system, community.id, from.take_over_after ?? '', batchMembers);
  const ids = page.map((row) => row.user_id);
  const { members, unread } = await reconcile(ctx, { ...scope, requested: new Set(ids) }, ids);
  const changes = members.flatMap((member) => member.changes);
  const isUnknown = ({ verdicts }: ReconciledMember) => verdicts.some(({ truth }) => truth === 'unknown');
  const unknowns = members.filter(isUnknown).length + unread.size;
  return ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const shadow = await selectAsked(tx, community.id);
    // The takeover was canceled, or another worker already added these members to the change set.
    if (shadow === undefined || shadow.take_over_after !== from.take_over_after) return shadow !== undefined;
    const changeSet =
      shadow.take_over_change_set_id === null ? undefined : await selectChangeSet(tx, shadow.take_over_change_set_id);
    if (changeSet?.status !== 'previewed') {
      await putShadow(tx, { ...shadow, ...notAsked, take_over_problem: 'Its change set was rejected.' });
      return false;
    }
    await insertItems(tx, changeSet, 'planned', changes);
    const whole = await addToChangeSet(tx, changeSet.id, changes, unknowns);
    if (page.length < batchMembers) {
      await finish(ctx, tx, community, shadow, whole);
      return false;
    }
    const checked = shadow.take_over_checked + ids.length;
    await putShadow(tx, {
      ...shadow,
      take_over_after: ids.at(-1) ?? null,
      take_over_checked: checked,
      take_over_problem: null,
    });
    await announce(tx, { changed: 'changeSets', community: community.id });
    return true;
  });
}

async function finish(
  ctx: Context,
  tx: Tx,
  community: CommunityRow,
  shadow: ShadowRow,
  changeSet: Pick<ChangeSetRow, 'id' | 'grants' | 'revokes'>,
): Promise<void> {
  const isEmpty = changeSet.grants + changeSet.revokes === 0;
  // A writer that was running when shadow mode began may have requeued items since.
  await giveUpWaiting(tx, community.id, ctx.clock(), changeSet.id);
  await resumeRoles(tx, community.id, undefined);
  if (isEmpty) await removeChangeSet(tx, changeSet.id);
  else {
    await moveChangeSet(tx, changeSet.id, ['previewed'], { status: 'approved' });
    await releaseItems(tx, changeSet.id);
  }
  const over = {
    taken_over_at: ctx.clock(),
    take_over_change_set_id: isEmpty ? null : changeSet.id,
    undo_change_set_id: null,
  };
  await putShadow(tx, { ...shadow, ...notAsked, ...over });
  await wakeWriter(tx, community.id);
  // One more check of every member finds what changed in the meantime.
  await enqueueReconcile(tx, { communityId: community.id, members: '*', cause: 'schedule' });
}

async function giveUp(ctx: Context, { id }: CommunityRow, problem: string): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, id);
    const shadow = await selectAsked(tx, id);
    if (shadow === undefined) return;
    const changeSetId = shadow.take_over_change_set_id ?? '';
    await moveChangeSet(tx, changeSetId, ['previewed'], {
      status: 'rejected',
      finished_at: ctx.clock(),
      note: problem,
    });
    await dropWaiting(tx, changeSetId);
    await putShadow(tx, { ...shadow, ...notAsked, take_over_problem: problem });
  });
}
