import { type Sql, sql, type Tx } from '@latchkey/db';
import { dayOf } from '@latchkey/kernel';
import type { Erasure } from '../../shared/module.ts';
import type { AppCall, CallCredential } from './call.ts';

interface CallRow {
  id: string;
  client_id: string;
  owner_id: string;
  called_at: Date;
  method: string;
  route: string;
  status: number;
  error_code: string | null;
  took_ms: number;
  request_id: string;
  credential: CallCredential;
}

interface DayRow {
  client_id: string;
  owner_id: string;
  /** YYYY-MM-DD, in UTC. */
  day: string;
  calls: number;
  refused: number;
  failed: number;
}

interface KeyUseRow {
  client_id: string;
  owner_id: string;
  key_used_at: Date | null;
  old_key_used_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    app_calls: CallRow;
    app_call_days: DayRow;
    app_key_uses: KeyUseRow;
  }
}

/** What one process counted for an application on one day. */
export interface DayCount {
  clientId: string;
  day: string;
  calls: number;
  refused: number;
  failed: number;
}

export interface KeyUse {
  clientId: string;
  keyUsedAt: Date | undefined;
  oldKeyUsedAt: Date | undefined;
}

/** With the owner of the application. */
type Owned<Of> = Of & { ownerId: string };

export async function insertCalls(db: Sql, calls: readonly Owned<AppCall>[]): Promise<void> {
  await sql`
    insert into app_calls (client_id, owner_id, called_at, method, route, status, error_code, took_ms, request_id, credential)
    select c."clientId", c."ownerId", c."calledAt", c.method, c.route, c.status, c."errorCode", c."tookMs", c."requestId", c.credential
    from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as c ("clientId" text, "ownerId" text, "calledAt" timestamptz, method text,
      route text, status int, "errorCode" text, "tookMs" int, "requestId" text, credential text)`.execute(db);
}

export async function addToDays(db: Sql, counts: readonly Owned<DayCount>[]): Promise<void> {
  await sql`
    insert into app_call_days (client_id, owner_id, day, calls, refused, failed)
    select c."clientId", c."ownerId", c.day, c.calls, c.refused, c.failed
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
      as c ("clientId" text, "ownerId" text, day date, calls bigint, refused bigint, failed bigint)
    order by 1, 3
    on conflict (client_id, day) do update set calls = app_call_days.calls + excluded.calls,
      refused = app_call_days.refused + excluded.refused, failed = app_call_days.failed + excluded.failed`.execute(db);
}

export async function noteKeyUses(db: Sql, uses: readonly Owned<KeyUse>[]): Promise<void> {
  await sql`
    insert into app_key_uses (client_id, owner_id, key_used_at, old_key_used_at)
    select u."clientId", u."ownerId", u."keyUsedAt", u."oldKeyUsedAt"
    from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb)
      as u ("clientId" text, "ownerId" text, "keyUsedAt" timestamptz, "oldKeyUsedAt" timestamptz)
    order by 1
    on conflict (client_id) do update set key_used_at = greatest(app_key_uses.key_used_at, excluded.key_used_at),
      old_key_used_at = greatest(app_key_uses.old_key_used_at, excluded.old_key_used_at)`.execute(db);
}

interface CallFilter {
  clientId: string;
  onlyErrors: boolean;
}

/** Lists the calls of an application after `after`, newest first. */
export function selectCalls(
  tx: Tx,
  { clientId, onlyErrors }: CallFilter,
  after: readonly string[] | undefined,
  limit: number,
): Promise<CallRow[]> {
  let query = tx.selectFrom('app_calls').selectAll().where('client_id', '=', clientId);
  if (onlyErrors) query = query.where('status', '>=', 400);
  if (after !== undefined) {
    const [calledAt, id] = after;
    query = query.where(sql<boolean>`(called_at, id) < (${calledAt}::timestamptz, ${id}::bigint)`);
  }
  return query.orderBy('called_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export async function selectDays(tx: Tx, clientId: string, since: string): Promise<Omit<DayCount, 'clientId'>[]> {
  const { rows } = await sql<{ day: string; calls: number; refused: number; failed: number }>`
    select to_char(day, 'YYYY-MM-DD') as day, calls::int as calls, refused::int as refused, failed::int as failed
    from app_call_days where client_id = ${clientId} and day >= ${since}::date order by day`.execute(tx);
  return rows;
}

export function findKeyUse(
  tx: Tx,
  clientId: string,
): Promise<Pick<KeyUseRow, 'key_used_at' | 'old_key_used_at'> | undefined> {
  return tx
    .selectFrom('app_key_uses')
    .select(['key_used_at', 'old_key_used_at'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
}

/** Deletes up to `limit` lines from before a time, and returns how many there were. */
export async function deleteOldCalls(db: Sql, before: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('app_calls')
    .where('id', 'in', (eb) => eb.selectFrom('app_calls').select('id').where('called_at', '<', before).limit(limit))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deleteOldDays(db: Sql, before: Date): Promise<void> {
  await sql`delete from app_call_days where day < ${dayOf(before)}::date`.execute(db);
}

/** Deletes the calls of a user's applications. */
export const appCallsErasure: Erasure = {
  columns: ['app_calls.owner_id', 'app_call_days.owner_id', 'app_key_uses.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('app_calls').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('app_call_days').where('owner_id', '=', userId).execute();
    await tx.deleteFrom('app_key_uses').where('owner_id', '=', userId).execute();
  },
};
