import { type RawBuilder, sql } from 'kysely';
import type { Sql, Tx } from '../database.ts';

export interface ShareRow {
  owner: string;
  places: number;
  wanted: number;
  urgent: number;
}

/** The current time: the database's, unless a benchmark sets it manually. */
export type Now = RawBuilder<Date>;

/** Makes concurrent changes to this bot's shares wait until the transaction ends. */
export async function lockBudget(tx: Tx, name: string, now: Now): Promise<{ blockedMs: number }> {
  const select = () =>
    sql<{ blockedMs: number | null }>`
      select extract(epoch from blocked_until - ${now})::float8 * 1000 as "blockedMs"
      from call_budgets where name = ${name} for update`.execute(tx);
  let { rows } = await select();
  if (rows.length === 0) {
    await sql`insert into call_budgets (name) values (${name}) on conflict do nothing`.execute(tx);
    rows = (await select()).rows;
  }
  return { blockedMs: Math.max(0, rows[0]?.blockedMs ?? 0) };
}

/** Returns the processes whose shares still count. */
export async function selectShares(tx: Tx, name: string, now: Now): Promise<ShareRow[]> {
  const { rows } = await sql<ShareRow>`
    select owner, places, wanted, urgent from call_shares where name = ${name} and until > ${now} order by owner`.execute(
    tx,
  );
  return rows;
}

export async function putShare(tx: Tx, name: string, row: ShareRow, now: Now, ttlMs: number): Promise<void> {
  if (row.places === 0 && row.wanted === 0) {
    await sql`
      delete from call_shares where name = ${name} and (owner = ${row.owner} or until <= ${now})`.execute(tx);
    return;
  }
  await sql`
    insert into call_shares (name, owner, places, wanted, urgent, until)
    values (${name}, ${row.owner}, ${row.places}, ${row.wanted}, ${row.urgent}, ${now} + make_interval(secs => ${ttlMs / 1000}::float8))
    on conflict (name, owner)
    do update set places = excluded.places, wanted = excluded.wanted, urgent = excluded.urgent,
      until = excluded.until`.execute(tx);
}

/** Records slots without a holder, each with the time until its last call still counts. */
export async function putReturns(tx: Tx, name: string, returns: readonly number[], now: Now): Promise<void> {
  await sql`delete from call_returns where name = ${name} and until <= ${now}`.execute(tx);
  await sql`
    insert into call_returns (name, until, places)
    select ${name}, ${now} + make_interval(secs => ms / 1000), count(*)::int
    from unnest(${[...returns]}::float8[]) as ms where ms > 0 group by ms
    on conflict (name, until) do update set places = call_returns.places + excluded.places`.execute(tx);
}

/** Counts the returned slots that are not free yet, and when the first of them is. */
export async function selectReturns(tx: Tx, name: string, now: Now): Promise<{ places: number; nextMs?: number }> {
  const { rows } = await sql<{ places: number; nextMs: number | null }>`
    select coalesce(sum(places), 0)::int as places, extract(epoch from min(until) - ${now})::float8 * 1000 as "nextMs"
    from call_returns where name = ${name} and until > ${now}`.execute(tx);
  const { places = 0, nextMs = null } = rows[0] ?? {};
  return { places, ...(nextMs !== null && { nextMs }) };
}

export async function blockAll(tx: Tx, name: string, ms: number, now: Now): Promise<void> {
  await sql`
    update call_budgets
    set blocked_until = greatest(blocked_until, ${now} + make_interval(secs => ${ms / 1000}::float8))
    where name = ${name}`.execute(tx);
}

export async function putBlock(tx: Tx, name: string, route: string, ms: number, now: Now): Promise<void> {
  await sql`delete from call_blocks where name = ${name} and until <= ${now}`.execute(tx);
  await sql`
    insert into call_blocks (name, route, until)
    values (${name}, ${route}, ${now} + make_interval(secs => ${ms / 1000}::float8))
    on conflict (name, route) do update set until = greatest(call_blocks.until, excluded.until)`.execute(tx);
}

export async function selectBlocks(db: Sql, name: string, now: Now): Promise<{ route: string; ms: number }[]> {
  const { rows } = await sql<{ route: string; ms: number }>`
    select route, extract(epoch from until - ${now})::float8 * 1000 as ms
    from call_blocks where name = ${name} and until > ${now}`.execute(db);
  return rows;
}

/** Adds refusals to those of this minute, and deletes those that no longer count. */
export async function addRefusals(tx: Tx, name: string, count: number, now: Now): Promise<void> {
  await sql`
    delete from call_refusals where name = ${name} and minute <= ${now} - make_interval(mins => 11)`.execute(tx);
  await sql`
    insert into call_refusals (name, minute, count) values (${name}, date_trunc('minute', ${now}), ${count})
    on conflict (name, minute) do update set count = call_refusals.count + excluded.count`.execute(tx);
}

/** Counts the refusals of the last ten minutes, and how long until the oldest of them no longer count. */
export async function countRefusals(tx: Tx, name: string, now: Now): Promise<{ count: number; clearsInMs: number }> {
  const { rows } = await sql<{ count: number; clearsInMs: number }>`
    select coalesce(sum(count), 0)::int as count,
      coalesce(extract(epoch from min(minute) + make_interval(mins => 11) - ${now})::float8 * 1000, 0) as "clearsInMs"
    from call_refusals where name = ${name} and minute > ${now} - make_interval(mins => 11)`.execute(tx);
  return rows[0] ?? { count: 0, clearsInMs: 0 };
}
