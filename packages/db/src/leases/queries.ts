import type pg from 'pg';

/** A lease in the database. */
export interface HeldName {
  name: string;
  owner: string;
}

// A request that hangs must not delay the next one while the leases are still valid.
const answerWithinMs = 3_000;

/** Takes a name that is free, expired, or already the owner's. Undefined while another owner holds it. */
export async function takeName(
  pool: pg.Pool,
  { name, owner, ttlMs }: { name: string; owner: string; ttlMs: number },
): Promise<number | undefined> {
  const { rows } = await pool.query<{ token: number }>(
    within(
      `insert into leases as held (name, owner, token, until)
       values ($1, $2, nextval('lease_tokens'), clock_timestamp() + make_interval(secs => $3))
       on conflict (name) do update
       set owner = excluded.owner, token = nextval('lease_tokens'), until = clock_timestamp() + make_interval(secs => $3)
       where held.until <= clock_timestamp() or held.owner = excluded.owner
       returning token`,
      [name, owner, ttlMs / 1000],
    ),
  );
  return rows[0]?.token;
}

/**
 * Extends what an owner still holds, in one statement: only what it knows to hold, because what it gave up by its own
 * clock must expire for others. A locked row belongs to a write in progress; it is skipped, and extended the next time.
 */
export async function renewNames(
  pool: pg.Pool,
  { owner, ttlMs, held }: { owner: string; ttlMs: number; held: readonly { name: string; token: number }[] },
): Promise<{ name: string; token: number; isExtended: boolean }[]> {
  const { rows } = await pool.query<{ name: string; token: number; isExtended: boolean }>(
    within(
      `with mine as (
         select name, token from leases join unnest($3::text[], $4::bigint[]) as known (name, token) using (name, token)
         where owner = $1 and until > clock_timestamp()
       ),
       extended as (
         update leases set until = clock_timestamp() + make_interval(secs => $2)
         where name in (
           select name from leases where name in (select name from mine) and owner = $1 and until > clock_timestamp()
           for update skip locked
         )
         returning name
       )
       select mine.name, mine.token, extended.name is not null as "isExtended" from mine left join extended using (name)`,
      [owner, ttlMs / 1000, held.map(({ name }) => name), held.map(({ token }) => token)],
    ),
  );
  return rows;
}

/** Releases one name, or all of an owner. Names that were free for a day are deleted. */
export async function releaseNames(pool: pg.Pool, owner: string, name?: string): Promise<void> {
  await pool.query(
    within(
      `with forgotten as (delete from leases where until < clock_timestamp() - interval '1 day' and owner <> $1)
       update leases set until = clock_timestamp() where owner = $1 and name = coalesce($2, name)`,
      [owner, name],
    ),
  );
}

export async function selectHeld(pool: pg.Pool, prefix: string): Promise<HeldName[]> {
  const { rows } = await pool.query<HeldName>(
    within('select name, owner from leases where starts_with(name, $1) and until > clock_timestamp() order by name', [
      prefix,
    ]),
  );
  return rows;
}

function within(text: string, values: unknown[]): pg.QueryConfig & { query_timeout: number } {
  return { text, values, query_timeout: answerWithinMs };
}
