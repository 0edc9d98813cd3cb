import { type Sql, sql } from '@latchkey/db';
import { presentByCommunity } from '../../communities/memberships/index.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    community_days: { community_id: string; day: string; members: number };
  }
}

/** Stores the number of members of every community for a day; the last count of a day stays. */
export async function countToday(db: Sql, now: Date): Promise<void> {
  await sql`
    insert into community_days (community_id, day, members)
    select p.community_id, (${now}::timestamptz at time zone 'UTC')::date, p.members from (${presentByCommunity}) p
    on conflict (community_id, day) do update set members = excluded.members`.execute(db);
}

/** How many members a community had, by day, since a date. Days without a count are absent. */
export async function selectMembersByDay(db: Sql, communityId: string, from: Date): Promise<Map<string, number>> {
  const { rows } = await sql<{ date: string; members: number }>`
    select to_char(day, 'YYYY-MM-DD') as date, members from community_days
    where community_id = ${communityId} and day >= (${from}::timestamptz at time zone 'UTC')::date`.execute(db);
  return new Map(rows.map(({ date, members }) => [date, members]));
}
