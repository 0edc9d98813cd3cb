import { AppError, notFound, principalId } from '@latchkey/kernel';
import { type CommunityRow, communityReader, nativeUserId, selectCommunity, userKey } from '../communities/index.ts';
import type { Context } from '../context.ts';
import { selectCommunitiesOf } from '../members/index.ts';

/** A member whose roles somebody asks about, and whether that somebody looks after the community. */
export interface Target {
  community: CommunityRow;
  userId: string;
  isManager: boolean;
}

const mostCommunities = 50;
const admission = communityReader('communityId');

/** A community whose roles the caller may manage. To everybody else it does not exist. */
export async function managedCommunity(ctx: Context, communityId: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || !(await manages(ctx, community))) throw notFound('community');
  return community;
}

async function manages(ctx: Context, community: CommunityRow): Promise<boolean> {
  return (await admission.object?.admits(ctx, community.id)) ?? false;
}

/**
 * The members that a request is about. Who manages a community asks about anybody in it; everybody may ask about
 * themselves, where they are members. Without a community it is about all of them that fit.
 */
export async function findTargets(
  ctx: Context,
  { communityId, userId }: { communityId?: string | undefined; userId?: string | undefined },
): Promise<Target[]> {
  const wanted = userId ?? callerId(ctx);
  const targets =
    communityId === undefined ? await targetsOfUser(ctx, wanted) : await targetIn(ctx, communityId, wanted);
  if (targets.length === 0) throw notFound('community');
  return targets;
}

async function targetIn(ctx: Context, communityId: string, wanted: string): Promise<Target[]> {
  const community = await selectCommunity(ctx.db.system, communityId);
  return community === undefined ? [] : admitted(ctx, community, qualify(community, wanted));
}

async function targetsOfUser(ctx: Context, wanted: string): Promise<Target[]> {
  const memberships = await selectCommunitiesOf(ctx.db.system, [wanted]);
  const targets: Target[] = [];
  for (const { community_id } of memberships.slice(0, mostCommunities)) {
    const community = await selectCommunity(ctx.db.system, community_id);
    if (community?.status === 'active') targets.push(...(await admitted(ctx, community, wanted)));
  }
  return targets;
}

async function admitted(ctx: Context, community: CommunityRow, userId: string): Promise<Target[]> {
  const isManager = await manages(ctx, community);
  if (isManager) return [{ community, userId, isManager }];
  if (ctx.actor.kind !== 'user' || ctx.actor.userId !== userId) return [];
  const memberships = await selectCommunitiesOf(ctx.db.system, [userId]);
  return memberships.some(({ community_id }) => community_id === community.id)
    ? [{ community, userId, isManager }]
    : [];
}

/** The qualified id of a member, whichever form was sent. */
export function qualify({ platform }: Pick<CommunityRow, 'platform'>, userId: string): string {
  return nativeUserId(platform, userId) === undefined ? userKey(platform, userId) : userId;
}

function callerId(ctx: Context): string {
  if (ctx.actor.kind === 'user') return principalId(ctx.actor);
  const message = 'must name a member';
  throw new AppError('VALIDATION_FAILED', `userId ${message}, since the caller is no user.`, {
    details: [{ path: '/userId', code: 'required', message }],
  });
}
