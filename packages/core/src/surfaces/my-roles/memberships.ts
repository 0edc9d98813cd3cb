import { choice, type Page, platformNames, principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import { selectCommunitiesOfMember } from '../../communities/community-records/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';

export const Membership = record('Membership', 'A community that you are in.', {
  communityId: text('The qualified id of the community, for example DIS#COMM#123.'),
  name: text('What people call it.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  platform: choice('The chat platform.', platformNames),
});
export type Membership = ValueOf<typeof Membership>;

/** The communities that the caller is in, as lists show them. */
export async function listMemberships(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  request: PageRequest,
): Promise<Page<Membership>> {
  const db = ctx.db.system;
  const userId = principalId(ctx.actor);
  const page = await paginate(ctx, request, {
    list: 'memberships',
    read: (after, limit) => selectCommunitiesOfMember(db, userId, limit, { after: after?.[0] }),
    cursorOf: ({ id }) => [id],
  });
  const pictures = await pictureAddresses(
    db,
    page.items.map(({ id }) => id),
  );
  return {
    ...page,
    items: page.items.map(({ id, name, platform }) => ({
      communityId: id,
      name,
      ...withPicture(pictures, id),
      platform,
    })),
  };
}
