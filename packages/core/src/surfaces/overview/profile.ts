import { choice, notFound, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import type { Context } from '../../shared/context.ts';

export const CommunityProfile = record('CommunityProfile', 'What people know a community by.', {
  communityId: text('The qualified id of the community, for example DIS#COMM#123.'),
  name: text('What people call it.'),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  platform: choice('The chat platform.', platformNames),
});
export type CommunityProfile = ValueOf<typeof CommunityProfile>;

export async function getCommunityProfile(
  { db }: Pick<Context, 'db'>,
  { communityId }: { communityId: string },
): Promise<CommunityProfile> {
  const community = await selectCommunity(db.system, communityId);
  if (community === undefined) throw notFound('community');
  const { id, name, platform } = community;
  return { communityId: id, name, ...withPicture(await pictureAddresses(db.system, [id]), id), platform };
}
