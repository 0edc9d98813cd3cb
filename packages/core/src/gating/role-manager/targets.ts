import { AppError, notFound, principalId } from '@latchkey/kernel';
import { readableAmong } from '../../communities/access/index.ts';
import { type CommunityRow, selectActiveAmong, selectCommunity } from '../../communities/community-records/index.ts';
import { selectCommunitiesOf, selectMembers } from '../../communities/memberships/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId, toUserKey } from '../../shared/qualified-ids.ts';

/** A member whose roles were requested, and whether the caller manages the community. */
export interface Target {
  community: CommunityRow;
  userId: string;
  isManager: boolean;
}

/** The maximum that a response can hold. */
const mostCommunities = 100;
/** A caller waits while their communities are read, and each read waits for its platform. */
export const checksAtOnce = 5;

/** The scope that an application needs to manage roles. */
const managing = ['role-manager'] as const;

/** Returns a community whose roles the caller may manage. For all other callers it is not found. */
export async function managedCommunity(ctx: Context, communityId: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || (await readableAmong(ctx, [community], managing)).size === 0)
    throw notFound('community');
  return community;
}

/**
 * Returns the members that a request is about. Admins of a community may request any of its members; users may request
 * themselves where they are members. Without a community, all that match are included.
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
  if (community === undefined) return [];
  const userId = qualify(community, wanted);
  const targets = await targetsAmong(ctx, [community], userId);
  if (targets.every(({ isManager }) => isManager)) return targets;
  const memberships = await selectCommunitiesOf(ctx.db.system, [userId]);
  return memberships.some(({ community_id }) => community_id === community.id) ? targets : [];
}

async function targetsOfUser(ctx: Context, wanted: string): Promise<Target[]> {
  const memberships = await selectCommunitiesOf(ctx.db.system, [wanted]);
  const ids = memberships.map(({ community_id }) => community_id);
  const targets = await targetsAmong(ctx, await selectActiveAmong(ctx.db.system, ids), wanted);
  if (targets.length > mostCommunities) {
    const message = `must name one of ${targets.length} communities: at most ${mostCommunities} are checked at once`;
    throw new AppError('VALIDATION_FAILED', `communityId ${message}.`, {
      details: [{ path: '/communityId', code: 'required', message }],
    });
  }
  return targets;
}

/** The communities in which the caller manages the roles, or is the member in question. */
async function targetsAmong(ctx: Context, communities: readonly CommunityRow[], userId: string): Promise<Target[]> {
  const managed = await readableAmong(ctx, communities, managing);
  const isSelf = ctx.actor.kind === 'user' && ctx.actor.userId === userId;
  return communities
    .map((community) => ({ community, userId, isManager: managed.has(community.id) }))
    .filter(({ isManager }) => isManager || isSelf);
}

/** Returns the qualified id of a member, whichever form was sent. */
export function qualify({ platform }: Pick<CommunityRow, 'platform'>, userId: string): string {
  return toUserKey(platform, userId);
}

/** Rejects a member unknown to server and platform. If the platform cannot be reached, the member is checked later instead. */
export async function requireMember(ctx: Context, community: CommunityRow, userId: string): Promise<void> {
  const [known] = await selectMembers(ctx.db.system, community.id, [userId]);
  if (known !== undefined && known.left_at === null) return;
  const nativeId = nativeUserId(community.platform, userId);
  const host = ctx.hosts[community.platform];
  if (nativeId === undefined) throw notFound('member');
  if (host === undefined) return;
  try {
    if ((await host.readMember(community.community_id, nativeId)) === undefined) throw notFound('member');
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
  }
}

function callerId(ctx: Context): string {
  if (ctx.actor.kind === 'user') return principalId(ctx.actor);
  const message = 'must name a member';
  throw new AppError('VALIDATION_FAILED', `userId ${message}, because the caller is not a user.`, {
    details: [{ path: '/userId', code: 'required', message }],
  });
}
