import { AppError, chatPlatforms, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { requirePresence } from '../../require-presence.ts';
import {
  askStanding,
  type CommunityRow,
  dismissAdmin,
  isUserKey,
  nameAdmin,
  selectAdmins,
  selectCommunity,
  toUserKey,
} from '../communities/index.ts';
import { selectMembers } from '../members/index.ts';
import { type CommunityAdmin, listCommunityAdmins } from './list-admins.ts';

type ChangeContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts' | 'log'>;
type Named = { communityId: string; userId: string };

/** Makes a member an admin. Whoever stole a session cannot do it. */
export async function addCommunityAdmin(ctx: ChangeContext, named: Named): Promise<CommunityAdmin> {
  const { community, userId } = await beginChange(ctx, named);
  await refuseOutsider(ctx, community, userId);
  await nameAdmin(ctx, community.id, userId);
  const added = (await listCommunityAdmins(ctx, { communityId: community.id })).find(
    (admin) => admin.userId === userId,
  );
  if (added === undefined) throw notFound('admin');
  return added;
}

/** Removes an admin, with those whom only they answer for. */
export async function removeCommunityAdmin(ctx: ChangeContext, named: Named): Promise<void> {
  const { community, userId } = await beginChange(ctx, named);
  await dismissAdmin(ctx, community.id, userId);
}

async function beginChange(ctx: ChangeContext, { communityId, userId }: Named) {
  if (ctx.actor.kind === 'user') requirePresence(ctx);
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  return { community, userId: isUserKey(userId) ? userId : toUserKey(community.platform, userId) };
}

/** An id that was mistyped must not become the key to a community for whoever has it. */
async function refuseOutsider(ctx: ChangeContext, community: CommunityRow, userId: string): Promise<void> {
  const { id, platform, community_id } = community;
  if (!isUserKey(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Name the member by an id such as DIS#USER#123.');
  if ((await selectAdmins(ctx.db.system, id)).some(({ user_id }) => user_id === userId)) return;
  const [member] = await selectMembers(ctx.db.system, id, [userId]);
  if (member?.is_bot === true) throw new AppError('STATE_CONFLICT', 'A bot cannot be an admin.');
  if (member !== undefined && member.left_at === null) return;
  const { kind } = await askStanding(ctx, { platform, communityId: community_id }, userId);
  if (kind === 'yes') return;
  throw new AppError(
    'STATE_CONFLICT',
    `This user is not a member of the community${kind === 'unknown' ? `, and ${chatPlatforms[platform].title} cannot be asked at the moment` : ''}. Only members, and people who manage it on ${chatPlatforms[platform].title}, can be admins.`,
  );
}
