import { choice, notFound, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type AdminRow, selectAdmins } from '../access/index.ts';
import { selectCommunity } from '../community-records/index.ts';
import { selectMembers } from '../memberships/index.ts';

export const CommunityAdmin = record('CommunityAdmin', 'Somebody who manages a community.', {
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

/** Who manages a community, and why. */
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
