import type { Hashed, Sealed, Sql } from '@latchkey/db';

export interface PendingRow {
  key_hash: Hashed;
  kind: string;
  user_id: string;
  content: Sealed;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    wallet_pending_steps: PendingRow;
  }
}

export async function insertStep(sql: Sql, row: PendingRow): Promise<void> {
  await sql.insertInto('wallet_pending_steps').values(row).execute();
}

export function findStep(sql: Sql, kind: string, keyHash: Hashed, now: Date): Promise<PendingRow | undefined> {
  return sql
    .selectFrom('wallet_pending_steps')
    .selectAll()
    .where('key_hash', '=', keyHash)
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export async function takeStep(sql: Sql, kind: string, keyHash: Hashed, now: Date): Promise<PendingRow | undefined> {
  const row = await sql
    .deleteFrom('wallet_pending_steps')
    .where('key_hash', '=', keyHash)
    .where('kind', '=', kind)
    .returningAll()
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now ? row : undefined;
}

export async function deleteExpiredSteps(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('wallet_pending_steps').where('expires_at', '<', now).execute();
}

export async function deleteStepsOf(sql: Sql, userId: string): Promise<void> {
  await sql.deleteFrom('wallet_pending_steps').where('user_id', '=', userId).execute();
}
