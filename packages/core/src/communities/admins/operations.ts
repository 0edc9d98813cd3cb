import {
  AppError,
  chatPlatforms,
  choice,
  listOf,
  NoContent,
  notFound,
  op,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { isUserKey, toUserKey } from '../../shared/qualified-ids.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import {
  type AdminRow,
  askAdminStatus,
  communityAdmin,
  confirmedCommunityAdmin,
  selectAdmins,
} from '../access/index.ts';
import { type CommunityRow, selectCommunity } from '../community-records/index.ts';
import { selectMembers } from '../memberships/index.ts';
import { dismissAdmin, nameAdmin } from './change-admins.ts';

export const CommunityAdmin = record('CommunityAdmin', 'An admin of a community.', {
  userId: text('The qualified id of the user.'),
  userName: T.Optional(text('Their name on the platform; absent if unknown.')),
  isOwner: T.Boolean({ description: 'Whether they own the community.' }),
  ground: choice(
    'Why they are an admin: they manage the community on the platform, or another admin or the operator added them.',
    ['platform', 'named', 'operator'],
  ),
  confirmedTime: T.Optional(text('When the platform last confirmed it, in ISO 8601.')),
  namedBy: T.Optional(text('The admin who added them.')),
  namedByName: T.Optional(text('That admin’s name on the platform.')),
  addedTime: text('Since when, in ISO 8601.'),
});
export type CommunityAdmin = ValueOf<typeof CommunityAdmin>;

/** Returns the admins of a community, and why they are. */
export async function listCommunityAdmins(
  ctx: Pick<Context, 'db'>,
  { communityId }: { communityId: string },
): Promise<CommunityAdmin[]> {
  const db = ctx.db.system;
  const community = await selectCommunity(db, communityId);
  if (community === undefined) throw notFound('community');
  const admins = await selectAdmins(db, community.id);
  const members = await selectMembers(
    db,
    community.id,
    admins.map(({ user_id }) => user_id),
  );
  const names = new Map(members.map(({ user_id, user_name }) => [user_id, user_name ?? undefined]));
  return admins.map((admin) => ({
    userId: admin.user_id,
    userName: names.get(admin.user_id),
    isOwner: admin.user_id === community.owner_id,
    ...groundOf(admin, names),
    addedTime: admin.added_at.toISOString(),
  }));
}

function groundOf({ confirmed_at, named_by }: AdminRow, names: ReadonlyMap<string, string | undefined>) {
  if (confirmed_at !== null) return { ground: 'platform' as const, confirmedTime: confirmed_at.toISOString() };
  if (named_by === null || named_by.startsWith('$')) return { ground: 'operator' as const };
  return { ground: 'named' as const, namedBy: named_by, namedByName: names.get(named_by) };
}

const userId = text('The id of the user, for example DIS#USER#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});
const freshSignIn = 'Requires a recent sign-in. For community admins, signed in to this server; no scope grants it.';

export const adminOperations = [
  op(
    'GET /latchkey/communities/{communityId}/admins',
    {
      id: 'listCommunityAdmins',
      summary: 'List a community’s admins',
      description:
        'Returns who manages a community and why: because they manage it on the chat platform, or because another admin or the operator added them. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params: { communityId: communityParam },
      returns: listOf(CommunityAdmin, 'The admins, oldest first.'),
    },
    listCommunityAdmins,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/admins/{userId}',
    {
      id: 'addCommunityAdmin',
      summary: 'Make a member an admin',
      description: `Makes a person an admin of a community, and checks their rights on the chat platform. A person who manages the community there is an admin for as long as they do; any other member is an admin until they leave, or until the admin who added them is removed. Adding an admin again changes nothing. ${freshSignIn} Fails with STATE_CONFLICT if the person is neither a member nor a manager there, and for more than 100 admins.`,
      audit: 'community.admins',
      access: confirmedCommunityAdmin('communityId'),
      params: { communityId: communityParam, userId },
      returns: CommunityAdmin,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT', 'INVALID_PARAMETER_VALUE'],
    },
    addCommunityAdmin,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/admins/{userId}',
    {
      id: 'removeCommunityAdmin',
      summary: 'Remove an admin',
      description: `Removes an admin from a community, and the admins only they added. Nothing changes on the chat platform: a person who manages the community there can become an admin here again. ${freshSignIn} Fails with STATE_CONFLICT for the owner, and for an admin your own access depends on.`,
      audit: 'community.admins',
      access: confirmedCommunityAdmin('communityId'),
      params: { communityId: communityParam, userId },
      readAt: '/latchkey/communities/{communityId}/admins',
      returns: NoContent,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT'],
    },
    removeCommunityAdmin,
  ),
] as const;

type ChangeContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts' | 'log'>;
type Named = { communityId: string; userId: string };

/** Makes a member an admin. Requires a recent sign-in, so a stolen session is not enough. */
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

/** Removes an admin, together with the admins only they added. */
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

/** A mistyped id must not give a community to the account that happens to have it. */
async function refuseOutsider(ctx: ChangeContext, community: CommunityRow, userId: string): Promise<void> {
  const { id, platform, community_id } = community;
  if (!isUserKey(userId))
    throw new AppError('INVALID_PARAMETER_VALUE', 'Identify the member by an id such as DIS#USER#123.');
  if ((await selectAdmins(ctx.db.system, id)).some(({ user_id }) => user_id === userId)) return;
  const [member] = await selectMembers(ctx.db.system, id, [userId]);
  if (member?.is_bot === true) throw new AppError('STATE_CONFLICT', 'A bot cannot be an admin.');
  if (member !== undefined && member.left_at === null) return;
  const { kind } = await askAdminStatus(ctx, { platform, communityId: community_id }, userId);
  if (kind === 'yes') return;
  throw new AppError(
    'STATE_CONFLICT',
    `This user is not a member of the community${kind === 'unknown' ? `, and ${chatPlatforms[platform].title} cannot be reached right now` : ''}. Only members, and people who manage it on ${chatPlatforms[platform].title}, can be admins.`,
  );
}
