import type { Sql } from '@latchkey/db';
import { addSeconds, type PersonCredential } from '@latchkey/kernel';
import { aeSkewSeconds } from './ae-token.ts';
import { insertRevoked } from './queries.ts';

/** An issued AE token. Its text is not stored. */
export interface SessionRow {
  /** The id inside the token, by which it can be revoked. */
  id: string;
  user_id: string;
  credential: PersonCredential;
  /** The one application it was issued for. */
  client_id: string | null;
  scopes: string[];
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    sessions: SessionRow;
  }
}

export async function insertSession(db: Sql, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
}

/** Lists a user's active sessions, newest first. */
export function selectSessions(db: Sql, userId: string, now: Date): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(100)
    .execute();
}

export function findSession(db: Sql, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Deletes a session; undefined if the user has none with this id. */
export function deleteSession(db: Sql, userId: string, id: string): Promise<SessionRow | undefined> {
  return db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Puts a session on the revocation list, until it would expire anyway. */
export async function revokeSession(db: Sql, { id, expires_at }: Pick<SessionRow, 'id' | 'expires_at'>): Promise<void> {
  await insertRevoked(db, id, addSeconds(expires_at, aeSkewSeconds));
}

export async function deleteSessionsOf(db: Sql, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
}
