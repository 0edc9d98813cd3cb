import type { Hashed, Sealed, Sql } from '@latchkey/db';

/** The services whose accounts are linked with an OAuth redirect. */
export type LinkedService = 'twitter' | 'discord' | 'reddit';

export interface LinkAttemptRow {
  state_hash: Hashed;
  /** The user who started it. No other user can finish it. */
  user_id: string;
  service: LinkedService;
  code_verifier: Sealed;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    account_link_attempts: LinkAttemptRow;
  }
}

export async function insertAttempt(sql: Sql, row: LinkAttemptRow): Promise<void> {
  await sql.insertInto('account_link_attempts').values(row).execute();
}

/** Consumes an attempt, so that it works once. Another user's call consumes nothing. */
export function takeRow(
  sql: Sql,
  stateHash: Hashed,
  userId: string,
  service: LinkedService,
): Promise<LinkAttemptRow | undefined> {
  return sql
    .deleteFrom('account_link_attempts')
    .where('state_hash', '=', stateHash)
    .where('user_id', '=', userId)
    .where('service', '=', service)
    .returningAll()
    .executeTakeFirst();
}

/** Keeps only the newest attempts of a user at one service. */
export async function deleteOldestAttempts(
  sql: Sql,
  userId: string,
  service: LinkedService,
  kept: number,
): Promise<void> {
  const own = sql
    .selectFrom('account_link_attempts')
    .select('state_hash')
    .where('user_id', '=', userId)
    .where('service', '=', service);
  await sql
    .deleteFrom('account_link_attempts')
    .where('state_hash', 'in', own.orderBy('created_at', 'desc').orderBy('state_hash').offset(kept))
    .execute();
}

export async function deleteAttemptsOf(sql: Sql, userId: string): Promise<void> {
  await sql.deleteFrom('account_link_attempts').where('user_id', '=', userId).execute();
}

export async function deleteExpiredAttempts(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('account_link_attempts').where('expires_at', '<=', now).execute();
}
