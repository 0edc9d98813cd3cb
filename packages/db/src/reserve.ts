import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

export interface Reservation {
  /** What is paced: all processes with the same name share its pace. */
  name: string;
  /** How many slots to reserve. */
  count: number;
  /** The time between two slots. */
  gapMs: number;
  /** How far ahead a slot may be reserved. Beyond that, callers must retry later. */
  aheadMs: number;
}

/**
 * Reserves slots in a queue that all processes share, by the database's clock: the first one `inMs` from now, the
 * others each a gap later. If `isTaken` is false, nothing was reserved, and `inMs` is when to try again. Unused slots
 * lapse.
 */
export async function reserve(
  db: Kysely<Tables>,
  { name, count, gapMs, aheadMs }: Reservation,
): Promise<{ isTaken: boolean; inMs: number }> {
  const span = sql`make_interval(secs => ${(count * gapMs) / 1000}::float8)`;
  const taken = await sql<{ inMs: number }>`
    insert into paces as pace (name, next_at) values (${name}, clock_timestamp() + ${span})
    on conflict (name) do update set next_at = greatest(pace.next_at, clock_timestamp()) + ${span}
    where pace.next_at <= clock_timestamp() + make_interval(secs => ${aheadMs / 1000}::float8)
    returning extract(epoch from next_at - ${span} - clock_timestamp())::float8 * 1000 as "inMs"`.execute(db);
  const [first] = taken.rows;
  if (first !== undefined) return { isTaken: true, inMs: Math.max(0, first.inMs) };
  const { rows } = await sql<{ inMs: number }>`
    select extract(epoch from next_at - clock_timestamp())::float8 * 1000 as "inMs" from paces where name = ${name}`.execute(
    db,
  );
  return { isTaken: false, inMs: Math.max(1, (rows[0]?.inMs ?? 0) - aheadMs) };
}
