import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Generated } from 'kysely';
import type { KeyMade, Purpose, Refused, Signed } from './request.ts';

/** The address and the sealed key of one user. Only the signer's role can read this table. */
export interface KeyRow {
  user_id: string;
  wallet_id: string;
  address: string;
  public_key: string;
  private_key: string;
  created_at: Date;
}

export interface RequestRow {
  id: string;
  user_id: string;
  kind: 'make-key' | 'sign';
  wallet_id: string | null;
  address: string | null;
  purpose: Purpose | null;
  text: string | null;
  client_id: string | null;
  stepped_up_at: Date | null;
  approved_digest: string | null;
  created_at: Date;
  expires_at: Date;
  state: Generated<'pending' | 'done' | 'refused'>;
  answer: Generated<KeyMade | Signed | Refused | null>;
}

/** A record of a signature, without the signature itself. */
export interface SignatureRow {
  request_id: string;
  user_id: string;
  address: string;
  purpose: Purpose;
  text: string;
  digest: string;
  client_id: string | null;
  signed_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    'signer.keys': KeyRow;
    'signer.requests': RequestRow;
    'signer.signatures': SignatureRow;
    'signer.master_key_check': { id: number; sealed: string };
  }
}

/** Locks the oldest pending request that no other signer works on. */
export function lockPending(tx: Tx, now: Date) {
  return tx
    .selectFrom('signer.requests')
    .selectAll()
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/** Counts the waiting requests, and for how many seconds the oldest has waited. */
export async function countWaitingRequests(db: Sql, now: Date): Promise<{ requests: number; oldestSeconds: number }> {
  const { rows } = await sql<{ requests: number; oldestSeconds: number }>`
    select count(*) as requests, greatest(0, coalesce(extract(epoch from ${now} - min(created_at)), 0))::float8 as "oldestSeconds"
    from signer.requests where state = 'pending' and expires_at > ${now}`.execute(db);
  return rows[0] ?? { requests: 0, oldestSeconds: 0 };
}

export type PendingRequest = NonNullable<Awaited<ReturnType<typeof lockPending>>>;

export async function writeAnswer(
  tx: Sql,
  id: string,
  state: 'done' | 'refused',
  answer: KeyMade | Signed | Refused,
): Promise<void> {
  await tx
    .updateTable('signer.requests')
    .set({ state, answer })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute();
}

/** Unclaimed responses contain signatures, so they are not kept. */
export async function deleteExpired(db: Sql, before: Date): Promise<void> {
  await db.deleteFrom('signer.requests').where('expires_at', '<', before).execute();
}

export function findKey(tx: Tx, userId: string): Promise<KeyRow | undefined> {
  return tx.selectFrom('signer.keys').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Makes other signatures of the same user wait until the transaction ends, so that counting them is exact. */
export function lockKey(tx: Tx, userId: string): Promise<KeyRow | undefined> {
  return tx.selectFrom('signer.keys').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirst();
}

/** Does nothing if the user has a key. */
export async function insertKey(tx: Tx, row: KeyRow): Promise<void> {
  await tx
    .insertInto('signer.keys')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
}

export async function isSigned(tx: Tx, requestId: string): Promise<boolean> {
  const query = tx.selectFrom('signer.signatures').select('request_id').where('request_id', '=', requestId);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns when the oldest of a user's last `limit` signatures since `since` was made, if there are that many. */
export async function findOldestOf(
  tx: Tx,
  userId: string,
  { limit, since, purposes }: { limit: number; since: Date; purposes?: readonly Purpose[] | undefined },
): Promise<Date | undefined> {
  let query = tx
    .selectFrom('signer.signatures')
    .select('signed_at')
    .where('user_id', '=', userId)
    .where('signed_at', '>', since);
  if (purposes !== undefined) query = query.where('purpose', 'in', purposes);
  const row = await query
    .orderBy('signed_at', 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.signed_at;
}

export async function insertSignature(tx: Tx, row: SignatureRow): Promise<void> {
  await tx.insertInto('signer.signatures').values(row).execute();
}

/** Lists what was signed for a user, newest first; empty if no signer was ever set up. */
export async function listSignatures(db: Sql, userId: string, limit: number): Promise<SignatureRow[]> {
  const { rows } = await sql<{ is_there: boolean }>`
    select to_regclass('signer.signatures') is not null as is_there`.execute(db);
  if (rows[0]?.is_there !== true) return [];
  return db
    .selectFrom('signer.signatures')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('signed_at', 'desc')
    .limit(limit)
    .execute();
}

/** Returns a page of what was signed for a user, newest first; empty if no signer has ever run. */
export async function pageOfSignatures(
  db: Sql,
  userId: string,
  { after, limit }: { after: { at: Date; id: string } | undefined; limit: number },
): Promise<SignatureRow[]> {
  const { rows } = await sql<{ has: boolean }>`select to_regclass('signer.signatures') is not null as has`.execute(db);
  if (rows[0]?.has !== true) return [];
  return db
    .selectFrom('signer.signatures')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(signed_at, request_id) < (${after?.at ?? null}, ${after?.id ?? ''})`),
    )
    .orderBy('signed_at', 'desc')
    .orderBy('request_id', 'desc')
    .limit(limit)
    .execute();
}
