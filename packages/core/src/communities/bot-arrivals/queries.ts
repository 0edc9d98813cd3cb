import type { Sql } from '@latchkey/db';
import type { PlatformName } from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { selectCommunity } from '../community-records/index.ts';

/** A server or group on a chat platform that the bot is in. */
export interface ArrivalRow {
  platform: PlatformName;
  /** The platform's own id. */
  community_id: string;
  name: string;
  /** Its owner there, as a qualified id. */
  owner_id: string | null;
  arrived_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    bot_arrivals: ArrivalRow;
  }
}

/** Stores an arrival. The platform reports every server again after a restart: the first time counts. */
async function putArrival(db: Sql, row: ArrivalRow): Promise<void> {
  const { name, owner_id } = row;
  await db
    .insertInto('bot_arrivals')
    .values(row)
    .onConflict((conflict) => conflict.columns(['platform', 'community_id']).doUpdateSet({ name, owner_id }))
    .execute();
}

async function deleteArrival(db: Sql, platform: PlatformName, communityId: string): Promise<void> {
  await db
    .deleteFrom('bot_arrivals')
    .where('platform', '=', platform)
    .where('community_id', '=', communityId)
    .execute();
}

/** Arrivals on one platform, newest first: those of an owner, or those since a time. */
export function selectArrivals(
  db: Sql,
  platform: PlatformName,
  which: { ownerId: string } | { since: Date },
  limit: number,
): Promise<ArrivalRow[]> {
  return db
    .selectFrom('bot_arrivals')
    .selectAll()
    .where('platform', '=', platform)
    .where((eb) => ('ownerId' in which ? eb('owner_id', '=', which.ownerId) : eb('arrived_at', '>', which.since)))
    .orderBy('arrived_at', 'desc')
    .orderBy('community_id')
    .limit(limit)
    .execute();
}

/** Removes the owner of a server that the bot is in. The server stays listed for others who manage it. */
export const arrivalsErasure: Erasure = {
  columns: ['bot_arrivals.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.updateTable('bot_arrivals').set({ owner_id: null }).where('owner_id', '=', userId).execute();
  },
};

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
