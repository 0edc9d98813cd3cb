import { type Actor, AppError, notFound } from '@latchkey/kernel';
import { type CommunityRow, isInternal, readPlatformRoles, selectRules } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { inParallel } from '../../in-parallel.ts';
import { type LookedMember, lookAtPage, lookNow } from '../role-plans/index.ts';
import {
  type CheckCommunityRolesResponse,
  type CheckUserRolesResponse,
  type CommunityRoleCheckRequest,
  mostResults,
  type RoleCheckRequest,
} from './role-check.ts';
import { findTargets, looksAtOnce, managedCommunity, qualify } from './targets.ts';
import { type Frame, noteCuts, toAssignments } from './to-assignments.ts';

type Results = NonNullable<CheckUserRolesResponse['results']>;

/** Decides the roles of every member, page by page, or of one, and changes nothing. */
export async function checkCommunityRoles(
  ctx: Context,
  { body }: { body: CommunityRoleCheckRequest },
): Promise<CheckCommunityRolesResponse> {
  const { communityId, userId = '*', limit = mostResults, paginationToken } = body;
  const community = await managedCommunity(ctx, communityId);
  if (userId !== '*') {
    const results = await check(ctx, community, [qualify(community, userId)], true);
    return { communityId, userId, results };
  }
  const { items, ...page } = await lookAtPage(ctx, community, { limit, paginationToken });
  const results = noteNext(await describe(ctx, community, items), page.paginationToken);
  return { communityId, userId, results, ...page };
}

/** Decides the roles of one member, and changes nothing. */
export async function checkUserRoles(
  ctx: Context,
  { body: { communityId, userId } }: { body: RoleCheckRequest },
): Promise<CheckUserRolesResponse> {
  if (userId === '*') {
    const message = 'must name one member; every member is checked by check-community-roles';
    throw new AppError('VALIDATION_FAILED', `userId ${message}.`, {
      details: [{ path: '/userId', code: 'pattern', message }],
    });
  }
  return checkUserRolesByQuery(ctx, { communityId, userId });
}

/** Decides the roles of one member, in one community or in each that the caller may ask about. */
export async function checkUserRolesByQuery(
  ctx: Context,
  { communityId, userId }: { communityId?: string | undefined; userId?: string | undefined },
): Promise<CheckUserRolesResponse> {
  const targets = await findTargets(ctx, { communityId, userId });
  const checked = await inParallel(targets, looksAtOnce, (target) =>
    check(ctx, target.community, [target.userId], target.isManager),
  );
  const results = checked.flat();
  if (results.length === 0) throw notFound('member');
  return { communityId, userId, results };
}

async function check(
  ctx: Context,
  community: CommunityRow,
  userIds: readonly string[],
  liftPauses: boolean,
): Promise<Results> {
  const { members } = await lookNow(ctx, community, userIds, { liftPauses });
  return describe(ctx, community, members);
}

/** The results of members, those whose roles differ first. */
async function describe(ctx: Context, community: CommunityRow, members: readonly LookedMember[]): Promise<Results> {
  const frame = await readFrame(ctx, community);
  const results = members.map((member) =>
    toAssignments(frame, member, showsAddressesOf(ctx.actor, member.row.user_id)),
  );
  return results.toSorted((a, b) => Number(a.consistent) - Number(b.consistent));
}

/** Clients that know no pages read errors all the same, so the last result says when there is more. */
function noteNext(results: Results, paginationToken: string | undefined): Results {
  const last = results.at(-1);
  if (paginationToken === undefined || last === undefined) return results;
  const note = 'More members follow. Send the paginationToken of this response to check the next ones.';
  return [...results.slice(0, -1), { ...last, errors: noteCuts(last.errors ?? [], [note]) }];
}

// Members prove wallets to this server, not to those who look after their communities.
function showsAddressesOf(actor: Actor, userId: string): boolean {
  if (actor.kind === 'user') return actor.userId === userId;
  return actor.kind === 'client' ? isInternal(actor) : actor.kind !== 'anonymous';
}

async function readFrame(ctx: Context, community: CommunityRow): Promise<Frame> {
  const rules = await selectRules(ctx.db.system, community.id);
  return { community, rules, roles: rules.length === 0 ? new Map() : await readPlatformRoles(ctx, community) };
}
