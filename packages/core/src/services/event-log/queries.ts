import { type Sql, sql, type Tx } from '@latchkey/db';
import type { EventType } from '@latchkey/kernel';
import type { Generated } from 'kysely';
import type { Erasure } from '../../shared/module.ts';
import type { WrittenEvent } from '../webhooks/index.ts';

/** An event as readers get it. */
export interface EventRow {
  id: string;
  community_id: string;
  member_id: string | null;
  type: EventType;
  body: string;
  created_at: Date;
  position: number;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_events: Omit<EventRow, 'position'> & { written: Generated<number>; position: Generated<number | null> };
    event_streams: { community_id: string; last_position: Generated<number>; removed_through: Generated<number> };
  }
}

/** In the order of the array, which is the order of `written`. */
export async function insertEvents(
  tx: Tx,
  events: readonly { community: { id: string }; memberId?: string | undefined; event: WrittenEvent }[],
): Promise<void> {
  const rows = events.map(({ community, memberId = null, event: { id, type, body, createdAt } }) => ({
    id,
    community_id: community.id,
    member_id: memberId,
    type,
    body,
    created_at: createdAt,
  }));
  await sql`
    insert into community_events (id, community_id, member_id, type, body, created_at)
    select id, community_id, member_id, type, body, created_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as e (id text, community_id text, member_id text, type text, body text, created_at timestamptz)`.execute(tx);
}

export interface EventFilter {
  type?: EventType | undefined;
  memberId?: string | undefined;
}

const columns = ['id', 'community_id', 'member_id', 'type', 'body', 'created_at', 'position'] as const;

interface LogRows {
  events: EventRow[];
  /** Events up to this position may have been removed because of their age. */
  removedThrough: number;
}

/** Reads events that have a position, oldest first, and what was removed, in one snapshot. */
export async function selectAfter(db: Sql, communityId: string, after: number, limit: number): Promise<LogRows> {
  const { rows } = await sql<{ removed_through: number } & (EventRow | Record<keyof EventRow, null>)>`
    select s.removed_through, e.id, e.community_id, e.member_id, e.type, e.body, e.created_at, e.position
    from event_streams s left join lateral (
      select * from community_events
      where community_id = s.community_id and position > ${after} order by position limit ${limit}
    ) e on true
    where s.community_id = ${communityId} order by e.position`.execute(db);
  const events = rows.filter((row): row is typeof row & EventRow => row.id !== null);
  return { events, removedThrough: rows[0]?.removed_through ?? 0 };
}

/** Reads events that have a position, newest first. */
export async function selectBefore(
  db: Sql,
  communityId: string,
  { type, memberId }: EventFilter,
  before: number | undefined,
  limit: number,
): Promise<EventRow[]> {
  let query = db
    .selectFrom('community_events')
    .select(columns)
    .where('community_id', '=', communityId)
    .where('position', 'is not', null);
  if (before !== undefined) query = query.where('position', '<', before);
  if (type !== undefined) query = query.where('type', '=', type);
  if (memberId !== undefined) query = query.where('member_id', '=', memberId);
  return (await query.orderBy('position', 'desc').limit(limit).execute()) as EventRow[];
}

/** Reads events that have a position and happened in a time range, or one by its id, oldest first. */
export async function selectRange(
  db: Sql,
  communityId: string,
  {
    since,
    until,
    id,
    after,
  }: { since?: Date | undefined; until?: Date | undefined; id?: string | undefined; after: number },
  limit: number,
): Promise<EventRow[]> {
  let query = db
    .selectFrom('community_events')
    .select(columns)
    .where('community_id', '=', communityId)
    .where('position', '>', after);
  if (id !== undefined) query = query.where('id', '=', id);
  if (since !== undefined) query = query.where('created_at', '>=', since);
  if (until !== undefined) query = query.where('created_at', '<=', until);
  return (await query.orderBy('position').limit(limit).execute()) as EventRow[];
}

export async function hasUnread(db: Sql, communityId: string): Promise<boolean> {
  const row = await db
    .selectFrom('community_events')
    .select('id')
    .where('community_id', '=', communityId)
    .where('position', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks how far the log of a community goes until the transaction ends. */
async function lockStream(tx: Tx, communityId: string): Promise<{ last: number }> {
  await tx
    .insertInto('event_streams')
    .values({ community_id: communityId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { last_position } = await tx
    .selectFrom('event_streams')
    .select('last_position')
    .where('community_id', '=', communityId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { last: last_position };
}

/**
 * Gives the oldest events without a position the next ones, and returns how many there were. A transaction that wrote
 * earlier may still be open: its events come later in the log. Of two transactions that changed the same object, the
 * second wrote after the first had committed, so their order is kept.
 */
export async function assignPositions(tx: Tx, communityId: string, limit: number): Promise<number> {
  const { last } = await lockStream(tx, communityId);
  // A statement of its own: it has to see what the previous holder of the lock committed.
  const { numAffectedRows } = await sql`
    with oldest as (
      select id, written from community_events
      where community_id = ${communityId} and position is null order by written limit ${limit}
    ), next as (
      select id, row_number() over (order by written) as place from oldest
    )
    update community_events e set position = ${last}::bigint + next.place from next where e.id = next.id`.execute(tx);
  const assigned = Number(numAffectedRows ?? 0);
  if (assigned > 0)
    await tx
      .updateTable('event_streams')
      .set({ last_position: last + assigned })
      .where('community_id', '=', communityId)
      .execute();
  return assigned;
}

/** The last position that was assigned or removed. */
export async function selectLast(db: Sql, communityId: string): Promise<number> {
  const row = await db
    .selectFrom('event_streams')
    .select('last_position')
    .where('community_id', '=', communityId)
    .executeTakeFirst();
  return row?.last_position ?? 0;
}

/** Communities with events from before a time. */
export async function selectWithOld(db: Sql, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('community_events')
    .select('community_id')
    .distinct()
    .where('created_at', '<', before)
    .limit(limit)
    .execute();
  return rows.map((row) => row.community_id);
}

/** Deletes what mentions a person in the log of every community. */
export const eventLogErasure: Erasure = {
  columns: ['community_events.member_id', 'community_events.body'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('community_events').where('member_id', '=', userId).execute();
    // As a JSON string: a longer id that starts with this one belongs to another user.
    await sql`delete from community_events where strpos(body, ${JSON.stringify(userId)}) > 0`.execute(tx);
  },
};

/**
 * Removes up to `limit` events of a community from before a time, and remembers how far readers may have missed some.
 * Events that were never read get positions too, for readers of earlier ones.
 */
export async function removeOld(tx: Tx, communityId: string, before: Date, limit: number): Promise<number> {
  const { last } = await lockStream(tx, communityId);
  const { rows } = await sql<{ position: number | null }>`
    delete from community_events where id in (
      select id from community_events where community_id = ${communityId} and created_at < ${before} limit ${limit}
    ) returning position`.execute(tx);
  if (rows.length === 0) return 0;
  const unread = rows.filter(({ position }) => position === null).length;
  const highest = rows.reduce((most, { position }) => Math.max(most, position ?? 0), 0);
  await sql`
    update event_streams set last_position = ${last + unread},
      removed_through = greatest(removed_through, ${unread > 0 ? last + unread : highest}::bigint)
    where community_id = ${communityId}`.execute(tx);
  return rows.length;
}
