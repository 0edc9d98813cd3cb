import { notFound, platformNames } from '@latchkey/kernel';
import { communityKey, selectCommunity } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';

/** The community that a request names, by its qualified id or by its platform and the platform's own id. */
export async function getNamedCommunity(
  user: Pick<Context, 'tx'>,
  { communityId, platform }: { communityId: string; platform?: string | undefined },
): Promise<{ id: string }> {
  const known = platformNames.find((name) => name === platform);
  const isQualified = known === undefined || communityId.includes('#');
  const id = isQualified ? communityId : communityKey(known, communityId);
  // Under the user's own tenant: a community that the user is not in does not exist.
  const community = await user.tx((tx) => selectCommunity(tx, id));
  if (community === undefined) throw notFound('community');
  return community;
}
