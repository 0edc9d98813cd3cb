import { AppError, type Page } from '@latchkey/kernel';
import { ownCommunity } from '../../../communities/access/index.ts';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { syncMembers } from '../../../communities/members/index.ts';
import { type MemberRow, selectLeftWithRoles, selectPresent } from '../../../communities/memberships/index.ts';
import { MemberUnreadable, PlatformFailed } from '../../../ports/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import type { ChangeSetRow } from '../tables.ts';
import type { OpenItem } from './change-set-queries.ts';
import { putChangeSet } from './make-change-set.ts';
import { cannotReconcile, type Draft, type DraftedRule, openScope } from './open-scope.ts';
import { type Reconciled, type ReconciledMember, reconcile, type Scope } from './reconcile.ts';

const batchMembers = 2_500;

/** Shows what a check would change, for some or all members, as a change set that is written only if it is approved. */
export async function previewChangeSet(
  ctx: Context,
  communityId: string,
  userIds: readonly string[] | '*',
): Promise<ChangeSetRow> {
  const community = await ownCommunity(ctx, communityId);
  const { members, former } = await reconcileNow(ctx, community, userIds, { liftSuppressions: true });
  const isUnknown = ({ verdicts }: ReconciledMember) => verdicts.some(({ truth }) => truth === 'unknown');
  const changes = [...members, ...former].flatMap((member) => member.changes);
  const unknowns = members.filter(isUnknown).length;
  return ctx.db.transaction('system', (tx) =>
    putChangeSet(ctx, tx, { community, cause: 'preview', changes, unknowns, isUrgent: userIds !== '*' }, 'previewed'),
  );
}

/** Checks members for a caller who is waiting, and changes nothing. */
export async function reconcileNow(
  ctx: Context,
  community: CommunityRow,
  userIds: readonly string[] | '*',
  { liftSuppressions }: { liftSuppressions: boolean },
): Promise<Reconciled> {
  return withApiErrors(async () => {
    const requested = new Set(liftSuppressions && userIds !== '*' ? userIds : []);
    const scope = await openScope(ctx, community, { requested: requested, fresh: userIds !== '*' });
    if (scope === undefined) throw cannotReconcile(ctx, community);
    if (userIds === '*') return checkAll(ctx, scope, liftSuppressions);
    const reconciled = await reconcile(ctx, scope, userIds);
    // Without a row, a member would look like one who has left.
    if (reconciled.unread.size > 0 && reconciled.members.length === 0)
      throw new MemberUnreadable('The chat platform sent a member that could not be read.');
    return reconciled;
  });
}

/** The same for every member, page by page in id order. The platform's member list is read for the first page. */
export async function reconcilePage(
  ctx: Context,
  community: CommunityRow,
  request: PageRequest,
): Promise<Page<ReconciledMember>> {
  return withApiErrors(async () => {
    const scope = await openScope(ctx, community, { requested: new Set(), fresh: false });
    if (scope === undefined) throw cannotReconcile(ctx, community);
    const page = await paginate(ctx, request, {
      list: `looked-members:${community.id}`,
      read: async (after, limit) => {
        if (after === undefined) await syncMembers(ctx, scope.host, community);
        return selectPresent(ctx.db.system, community.id, after?.[0] ?? '', limit);
      },
      cursorOf: ({ user_id }) => [user_id],
    });
    const ids = page.items.map((row) => row.user_id);
    const { members } = await reconcile(ctx, { ...scope, requested: new Set(ids) }, ids);
    return { ...page, items: [...members] };
  });
}

/**
 * Checks members as if these were the rules, and changes nothing. Stops after `mostMembers`; `isWhole` is true if
 * that covered every member.
 */
export async function reconcileByDraft(
  ctx: Context,
  community: CommunityRow,
  drafted: Draft,
  mostMembers: number,
): Promise<{ members: readonly ReconciledMember[]; isWhole: boolean }> {
  return withApiErrors(async () => {
    const scope = await openScope(ctx, community, { requested: new Set(), fresh: false }, drafted);
    if (scope === undefined) throw cannotReconcile(ctx, community);
    await syncMembers(ctx, scope.host, community);
    const rows = await selectPresent(ctx.db.system, community.id, '', mostMembers + 1);
    const ids = rows.slice(0, mostMembers).map((row) => row.user_id);
    const members: ReconciledMember[] = [];
    for (let from = 0; from < ids.length; from += batchMembers) {
      const batch = ids.slice(from, from + batchMembers);
      members.push(...(await reconcile(ctx, { ...scope, requested: new Set(batch) }, batch)).members);
    }
    return { members, isWhole: rows.length <= mostMembers };
  });
}

/** Checks these members as if these were the rules and these roles were retired, and changes nothing. */
export async function reconcileAsIf(
  ctx: Context,
  community: CommunityRow,
  drafted: { rules: readonly DraftedRule[]; retiredRoleIds: readonly string[] },
  userIds: readonly string[],
): Promise<ReconciledMember[]> {
  return withApiErrors(async () => {
    const scope = await openScope(ctx, community, { requested: new Set(userIds), fresh: false }, drafted);
    if (scope === undefined) throw cannotReconcile(ctx, community);
    const members: ReconciledMember[] = [];
    for (let from = 0; from < userIds.length; from += batchMembers)
      members.push(...(await reconcile(ctx, scope, userIds.slice(from, from + batchMembers))).members);
    return members;
  });
}

/** Reads the platform's member list for a caller who is waiting. */
export async function syncMembersNow(ctx: Context, community: CommunityRow): Promise<void> {
  await withApiErrors(async () => {
    const host = ctx.hosts[community.platform];
    if (community.status !== 'active' || host === undefined) throw cannotReconcile(ctx, community);
    await syncMembers(ctx, host, community);
  });
}

async function withApiErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PlatformFailed ? unavailable(error) : error;
  }
}

async function checkAll(ctx: Context, scope: Scope, liftSuppressions: boolean): Promise<Reconciled> {
  await syncMembers(ctx, scope.host, scope.community);
  const members: ReconciledMember[] = [];
  const outdated: OpenItem[] = [];
  const unread = new Set<string>();
  for (let after = ''; ; ) {
    const page: MemberRow[] = await selectPresent(ctx.db.system, scope.community.id, after, batchMembers);
    const ids = page.map((row) => row.user_id);
    const reconciled: Reconciled = await reconcile(
      ctx,
      { ...scope, requested: new Set(liftSuppressions ? ids : []) },
      ids,
    );
    members.push(...reconciled.members);
    outdated.push(...reconciled.outdated);
    for (const userId of reconciled.unread) unread.add(userId);
    after = ids.at(-1) ?? '';
    if (page.length < batchMembers) break;
  }
  const former: ReconciledMember[] = [];
  const left = await selectLeftWithRoles(ctx.db.system, scope.community.id);
  for (let from = 0; from < left.length; from += batchMembers) {
    const reconciled = await reconcile(ctx, scope, left.slice(from, from + batchMembers));
    former.push(...reconciled.former);
    outdated.push(...reconciled.outdated);
    for (const userId of reconciled.unread) unread.add(userId);
  }
  return { members, former, outdated, unread };
}

/** Converts a platform failure into an API error. */
function unavailable(error: PlatformFailed): AppError {
  if (error.kind !== 'unavailable') return new AppError('STATE_CONFLICT', error.message, { cause: error });
  return new AppError('UNAVAILABLE', 'The chat platform is not responding. Try again shortly.', {
    retryAfterSeconds: error.retryAfterSeconds ?? 5,
    cause: error,
  });
}
