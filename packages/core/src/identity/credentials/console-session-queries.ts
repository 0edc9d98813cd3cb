import type { Database, Hashed, Sql } from '@latchkey/db';
import type { PresenceProof } from '@latchkey/kernel';
import type { AdminKeyRow } from './queries.ts';

/** A browser that is signed in to the console, as a user or as the operator. */
export interface ConsoleSessionRow {
  id: string;
  secret_hash: Hashed;
  user_id: string | null;
  platform: string | null;
  user_name: string | null;
  scopes: string[];
  /** The admin key that opened it, if it is the operator's. */
  admin_key_id: string | null;
  presence_how: PresenceProof | null;
  presence_at: Date | null;
  created_at: Date;
  used_at: Date;
  /** When it ends if it is not used. */
  expires_at: Date;
  /** When it ends in any case. */
  latest_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    console_sessions: ConsoleSessionRow;
  }
}

/** The relevant fields of the key that opened a session; null for a user's session. */
type KeyOfSession = {
  [Field in 'name' | 'revoked_at' | 'allowed_ip_addresses' as `key_${Field}`]: AdminKeyRow[Field] | null;
} & { key_expires_at: Date | null };

export type FoundConsoleSession = ConsoleSessionRow & KeyOfSession;

/** Finds the session of a cookie's secret, with its admin key. Runs on each request of the console. */
export async function findBySecret(db: Database, hash: Hashed): Promise<FoundConsoleSession | undefined> {
  const { rows } = await db.pool.query<FoundConsoleSession>({
    name: 'find-console-session',
    text: `select s.id, s.secret_hash, s.user_id, s.platform, s.user_name, s.scopes, s.admin_key_id, s.presence_how,
        s.presence_at, s.created_at, s.used_at, s.expires_at, s.latest_at, k.name as key_name,
        k.revoked_at as key_revoked_at, k.expires_at as key_expires_at,
        k.allowed_ip_addresses as key_allowed_ip_addresses
      from console_sessions s left join admin_keys k on k.id = s.admin_key_id
      where s.secret_hash = $1`,
    values: [hash],
  });
  return rows[0];
}

export async function insertConsoleSession(db: Sql, row: ConsoleSessionRow): Promise<void> {
  await db.insertInto('console_sessions').values(row).execute();
}

export function findConsoleSession(db: Sql, id: string): Promise<ConsoleSessionRow | undefined> {
  return db.selectFrom('console_sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Extends a session because it was used. */
export async function setUsed(
  db: Sql,
  id: string,
  { usedAt, expiresAt }: { usedAt: Date; expiresAt: Date },
): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ used_at: usedAt, expires_at: expiresAt })
    .where('id', '=', id)
    .execute();
}

/** Lists a user's active sessions, newest first. */
export function selectConsoleSessions(db: Sql, userId: string, now: Date): Promise<ConsoleSessionRow[]> {
  return db
    .selectFrom('console_sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(100)
    .execute();
}

/** Ends the session of a browser by its cookie's secret. */
export async function deleteConsoleSession(db: Sql, hash: Hashed): Promise<void> {
  await db.deleteFrom('console_sessions').where('secret_hash', '=', hash).execute();
}

/** Ends one session of a user; false if they have none with this id. */
export async function deleteConsoleSessionOf(db: Sql, userId: string, id: string): Promise<boolean> {
  const deleted = db.deleteFrom('console_sessions').where('user_id', '=', userId).where('id', '=', id);
  return (await deleted.executeTakeFirst()).numDeletedRows > 0n;
}

export async function deleteConsoleSessionsOf(db: Sql, userId: string): Promise<void> {
  await db.deleteFrom('console_sessions').where('user_id', '=', userId).execute();
}

export async function deleteConsoleSessionsBy(
  db: Sql,
  userId: string,
  how: PresenceProof,
  exceptId: string,
): Promise<void> {
  await db
    .deleteFrom('console_sessions')
    .where('user_id', '=', userId)
    .where('presence_how', '=', how)
    .where('id', '<>', exceptId)
    .execute();
}
