import { type Database, deleteExpired, type Hashed, type Sealed, type Sql, sql, type Tx } from '@latchkey/db';
import { addMs } from '@latchkey/kernel';
import type { Generated } from 'kysely';
import type { Context } from '../../shared/context.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    idempotent_requests: {
      caller: string;
      key_hash: Hashed;
      request_hash: Hashed;
      status: number | null;
      answer: Sealed | null;
      created_at: Date;
    };
    rate_windows: { bucket: string; window_start: Date; used: Generated<number> };
  }
}

/** One caller's use of an Idempotency-Key. */
export interface IdempotentRequest {
  caller: string;
  keyHash: Hashed;
}

/** Returns false when the caller used the key before. Waits while a request with the same key is running. */
export async function insertIdempotentRequest(
  tx: Tx,
  { caller, keyHash, requestHash, now }: IdempotentRequest & { requestHash: Hashed; now: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('idempotent_requests')
    .values({ caller, key_hash: keyHash, request_hash: requestHash, status: null, answer: null, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function saveIdempotentAnswer(
  tx: Tx,
  { caller, keyHash }: IdempotentRequest,
  { status, answer }: { status: number; answer: Sealed },
): Promise<void> {
  await tx
    .updateTable('idempotent_requests')
    .set({ status, answer })
    .where('caller', '=', caller)
    .where('key_hash', '=', keyHash)
    .execute();
}

export function findIdempotentRequest(
  tx: Tx,
  { caller, keyHash }: IdempotentRequest,
): Promise<{ request_hash: Hashed; answer: Sealed | null } | undefined> {
  return tx
    .selectFrom('idempotent_requests')
    .select(['request_hash', 'answer'])
    .where('caller', '=', caller)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
}

/** Adds points to the current window of a bucket. Returns the points used so far and when the window ends. */
export async function useRatePoints(
  pool: Database['pool'],
  { bucket, durationSeconds, points }: { bucket: string; durationSeconds: number; points: number },
): Promise<{ used: number; endsInSeconds: number }> {
  const { rows } = await pool.query<{ used: number; ends_in: number }>({
    name: 'reserve-rate',
    text: `insert into rate_windows (bucket, window_start, used)
           values ($1, to_timestamp(floor(extract(epoch from now()) / $2) * $2), $3)
           on conflict (bucket, window_start) do update set used = rate_windows.used + excluded.used
           returning used, (extract(epoch from window_start) + $2 - extract(epoch from now()))::float8 as ends_in`,
    values: [bucket, durationSeconds, points],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('The rate-limit window was not updated.');
  return { used: row.used, endsInSeconds: row.ends_in };
}

/** Returns the points used in the newest window of each bucket. Buckets without a window are absent. */
export async function readRateWindows(
  db: Sql,
  buckets: readonly string[],
): Promise<Map<string, { used: number; startedAt: Date }>> {
  const { rows } = await sql<{ bucket: string; used: number; startedAt: Date }>`
    select distinct on (bucket) bucket, used, window_start as "startedAt" from rate_windows
    where bucket = any(${buckets}::text[]) order by bucket, window_start desc`.execute(db);
  return new Map(rows.map(({ bucket, used, startedAt }) => [bucket, { used, startedAt }]));
}

const hourMs = 60 * 60 * 1000;
const keptAnswersMs = 24 * hourMs;
const keptWindowsMs = 32 * 24 * hourMs;

/** Deletes responses that are no longer replayed and expired rate windows. Returns how many. */
export async function deleteOldRequests({ clock, db }: Pick<Context, 'clock' | 'db'>, signal?: AbortSignal) {
  const ago = (ms: number) => addMs(clock(), -ms);
  return (
    (await deleteExpired(db.system, 'idempotent_requests', 'created_at', ago(keptAnswersMs), signal)) +
    (await deleteExpired(db.system, 'rate_windows', 'window_start', ago(keptWindowsMs), signal))
  );
}

/** Deletes what requests of a user and the user's applications left behind. */
export async function deleteRequestsOf(
  tx: Tx,
  { userId, clientIds }: { userId: string; clientIds: readonly string[] },
): Promise<void> {
  const callers = [userId, ...clientIds.map((id) => `$app/${id}`)];
  await tx
    .deleteFrom('idempotent_requests')
    .where('caller', '=', (eb) => eb.fn.any(eb.val(callers)))
    .execute();
  const buckets = [`user:${userId}/`, ...clientIds.map((id) => `client:${id}/`)];
  await sql`
    delete from rate_windows r using unnest(${buckets}::text[]) as b (name)
    where starts_with(r.bucket, b.name)`.execute(tx);
}
