import type { Sql } from '@latchkey/db';
import type { PlatformName } from '../../ports/index.ts';

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
export async function putArrival(db: Sql, row: ArrivalRow): Promise<void> {
  const { name, owner_id } = row;
  await db
    .insertInto('bot_arrivals')
    .values(row)
    .onConflict((conflict) => conflict.columns(['platform', 'community_id']).doUpdateSet({ name, owner_id }))
    .execute();
}

export async function deleteArrival(db: Sql, platform: PlatformName, communityId: string): Promise<void> {
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
