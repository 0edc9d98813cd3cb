import { AppError, type Page } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community/index.ts';
import { type MemberRow, selectPresent, syncMembers } from '../../communities/members/index.ts';
import { MemberUnreadable, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { type Looked, type LookedMember, lookAt, type Scope } from './look.ts';
import { putPlan } from './make-plan.ts';
import { cannotLook, type DraftedRule, openScope } from './open-scope.ts';
import { ownCommunity } from './own-plan.ts';
import type { OpenItem } from './plan-queries.ts';
import type { RolePlanRow } from './tables.ts';

const batchMembers = 2_500;

/**
 * Shows what a check would change, for some members or all of them, without changing anything: a plan that is written
 * only if it is approved.
 */
export async function previewRolePlan(
  ctx: Context,
  communityId: string,
  userIds: readonly string[] | '*',
): Promise<RolePlanRow> {
  const community = await ownCommunity(ctx, communityId);
  const { members } = await lookNow(ctx, community, userIds, { liftPauses: true });
  const isUnknown = ({ verdicts }: LookedMember) => verdicts.some(({ truth }) => truth === 'unknown');
  const changes = members.flatMap((member) => member.changes);
  const unknowns = members.filter(isUnknown).length;
  return ctx.db.transaction('system', (tx) =>
    putPlan(ctx, tx, { community, cause: 'preview', changes, unknowns, isUrgent: userIds !== '*' }, 'previewed'),
  );
}

/** Looks at members for somebody who waits for the answer, and changes nothing. */
export async function lookNow(
  ctx: Context,
  community: CommunityRow,
  userIds: readonly string[] | '*',
  { liftPauses }: { liftPauses: boolean },
): Promise<Looked> {
  return inOurWords(async () => {
    const asked = new Set(liftPauses && userIds !== '*' ? userIds : []);
    const scope = await openScope(ctx, community, { asked, fresh: userIds !== '*' });
    if (scope === undefined) throw cannotLook(ctx, community);
    if (userIds === '*') return lookAtAll(ctx, scope, liftPauses);
    const looked = await lookAt(ctx, scope, userIds);
    // Without a row a member would look like one who is not there.
    if (looked.unread.size > 0 && looked.members.length === 0)
      throw new MemberUnreadable('The chat platform sent a member that could not be read.');
    return looked;
  });
}

/** The same for every member, page by page in the order of their ids. The platform's list is read for the first page. */
export async function lookAtPage(
  ctx: Context,
  community: CommunityRow,
  request: PageRequest,
): Promise<Page<LookedMember>> {
  return inOurWords(async () => {
    const scope = await openScope(ctx, community, { asked: new Set(), fresh: false });
    if (scope === undefined) throw cannotLook(ctx, community);
    const page = await paginate(ctx, request, {
      list: `looked-members:${community.id}`,
      read: async (after, limit) => {
        if (after === undefined) await syncMembers(ctx, scope.host, community);
        return selectPresent(ctx.db.system, community.id, after?.[0] ?? '', limit);
      },
      cursorOf: ({ user_id }) => [user_id],
    });
    const ids = page.items.map((row) => row.user_id);
    const { members } = await lookAt(ctx, { ...scope, asked: new Set(ids) }, ids);
    return { ...page, items: [...members] };
  });
}

/**
 * Looks at members as if these were the rules, and changes nothing. Stops after so many members; `isWhole` tells whether
 * that was everybody.
 */
export async function lookByDraft(
  ctx: Context,
  community: CommunityRow,
  drafted: readonly DraftedRule[],
  mostMembers: number,
): Promise<{ members: readonly LookedMember[]; isWhole: boolean }> {
  return inOurWords(async () => {
    const scope = await openScope(ctx, community, { asked: new Set(), fresh: false }, drafted);
    if (scope === undefined) throw cannotLook(ctx, community);
    await syncMembers(ctx, scope.host, community);
    const rows = await selectPresent(ctx.db.system, community.id, '', mostMembers + 1);
    const ids = rows.slice(0, mostMembers).map((row) => row.user_id);
    const members: LookedMember[] = [];
    for (let from = 0; from < ids.length; from += batchMembers) {
      const batch = ids.slice(from, from + batchMembers);
      members.push(...(await lookAt(ctx, { ...scope, asked: new Set(batch) }, batch)).members);
    }
    return { members, isWhole: rows.length <= mostMembers };
  });
}

async function inOurWords<Result>(look: () => Promise<Result>): Promise<Result> {
  try {
    return await look();
  } catch (error) {
    throw error instanceof PlatformFailed ? unavailable(error) : error;
  }
}

async function lookAtAll(ctx: Context, scope: Scope, liftPauses: boolean): Promise<Looked> {
  await syncMembers(ctx, scope.host, scope.community);
  const members: LookedMember[] = [];
  const outdated: OpenItem[] = [];
  const unread = new Set<string>();
  for (let after = ''; ; ) {
    const page: MemberRow[] = await selectPresent(ctx.db.system, scope.community.id, after, batchMembers);
    const ids = page.map((row) => row.user_id);
    const looked: Looked = await lookAt(ctx, { ...scope, asked: new Set(liftPauses ? ids : []) }, ids);
    members.push(...looked.members);
    outdated.push(...looked.outdated);
    for (const userId of looked.unread) unread.add(userId);
    after = ids.at(-1) ?? '';
    if (page.length < batchMembers) return { members, outdated, unread };
  }
}

/** What the platform refused or could not do, as callers read it. */
function unavailable(error: PlatformFailed): AppError {
  if (error.kind !== 'unavailable') return new AppError('STATE_CONFLICT', error.message, { cause: error });
  return new AppError('UNAVAILABLE', 'The chat platform does not answer at the moment; try again shortly.', {
    retryAfterSeconds: error.retryAfterSeconds ?? 5,
    cause: error,
  });
}
