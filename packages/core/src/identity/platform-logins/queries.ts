import type { Hashed, Sealed, Sql, Tx } from '@latchkey/db';
import type { PlatformName } from '../../ports/index.ts';
import type { SealedColumn } from '../../shared/module.ts';
import { contentPlace } from './login.ts';

export interface PlatformLoginRow {
  state_hash: Hashed;
  browser_hash: Hashed;
  method: PlatformName;
  content: Sealed;
  answer_hash: Hashed | null;
  answered_at: Date | null;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    platform_logins: PlatformLoginRow;
  }
}

export async function insertLogin(sql: Sql, row: PlatformLoginRow): Promise<void> {
  await sql.insertInto('platform_logins').values(row).execute();
}

/**
 * Consumes a login, so that it works once. Another browser's call consumes nothing: it must not end what it cannot
 * finish.
 */
export function takeLogin(sql: Sql, stateHash: Hashed, browserHash: Hashed): Promise<PlatformLoginRow | undefined> {
  return sql
    .deleteFrom('platform_logins')
    .where('state_hash', '=', stateHash)
    .where('browser_hash', '=', browserHash)
    .returningAll()
    .executeTakeFirst();
}

/** Locks a login that waits for its answer in a chat until the transaction ends. */
export function lockUnanswered(
  tx: Tx,
  stateHash: Hashed,
  method: PlatformName,
  now: Date,
): Promise<PlatformLoginRow | undefined> {
  return tx
    .selectFrom('platform_logins')
    .selectAll()
    .where('state_hash', '=', stateHash)
    .where('method', '=', method)
    .where('answered_at', 'is', null)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst();
}

export async function setAnswer(
  tx: Tx,
  stateHash: Hashed,
  answer: Pick<PlatformLoginRow, 'content' | 'answered_at'>,
): Promise<void> {
  await tx.updateTable('platform_logins').set(answer).where('state_hash', '=', stateHash).execute();
}

/** Only the code of the last message is valid. Returns undefined if the login has ended. */
export function setAnswerHash(
  sql: Sql,
  stateHash: Hashed,
  answerHash: Hashed,
  now: Date,
): Promise<PlatformLoginRow | undefined> {
  return sql
    .updateTable('platform_logins')
    .set({ answer_hash: answerHash })
    .where('state_hash', '=', stateHash)
    .where('answered_at', 'is not', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteExpired(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('platform_logins').where('expires_at', '<=', now).execute();
}

/** The sealed column of this feature, for a change of the master key. */
export const platformLoginsSealed: readonly SealedColumn[] = [
  {
    table: 'platform_logins',
    column: 'content',
    idColumns: ['state_hash'],
    placeOf: (stateHash = '') => contentPlace(stateHash),
  },
];
