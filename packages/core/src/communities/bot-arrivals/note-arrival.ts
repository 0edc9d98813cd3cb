import type { PlatformName } from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { selectCommunity } from '../community-records/index.ts';
import { deleteArrival, putArrival } from './queries.ts';

/** Ids are the platform's own. */
interface NewArrival {
  platform: PlatformName;
  communityId: string;
  name: string;
  ownerId?: string | undefined;
}

const maxName = 200;

/** Records that the bot is in a server or group that has not been added here. */
export async function noteArrival(
  { clock, db }: Pick<Context, 'clock' | 'db'>,
  { platform, communityId, name, ownerId }: NewArrival,
): Promise<void> {
  if ((await selectCommunity(db.system, communityKey(platform, communityId))) !== undefined) return;
  const owner = ownerId === undefined ? null : userKey(platform, ownerId);
  await putArrival(db.system, {
    platform,
    community_id: communityId,
    name: name.slice(0, maxName),
    owner_id: owner,
    arrived_at: clock(),
  });
  if (owner !== null) await announce(db.system, { changed: 'setup', accounts: [owner] });
}

export function forgetArrival({ db }: Pick<Context, 'db'>, platform: PlatformName, communityId: string): Promise<void> {
  return deleteArrival(db.system, platform, communityId);
}
