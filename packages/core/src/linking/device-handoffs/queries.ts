import type { Hashed, Sealed, Sql, Tx } from '@latchkey/db';

export interface HandoffRow {
  ticket_hash: Hashed;
  key_hash: Hashed;
  purpose: 'link' | 'sign-in';
  user_id: string | null;
  content: Sealed;
  challenge_hash: Hashed | null;
  opened_at: Date | null;
  proven_at: Date | null;
  wrong_codes: number;
  created_at: Date;
  expires_at: Date;
}

type NewHandoff = Omit<HandoffRow, 'challenge_hash' | 'opened_at' | 'proven_at' | 'wrong_codes'>;

declare module '@latchkey/db/tables' {
  interface Tables {
    handoffs: HandoffRow;
  }
}

export async function insertHandoff(sql: Sql, row: NewHandoff): Promise<void> {
  await sql
    .insertInto('handoffs')
    .values({ ...row, challenge_hash: null, opened_at: null, proven_at: null, wrong_codes: 0 })
    .execute();
}

/** Keeps only the newest handoffs of a user. */
export async function deleteOldest(sql: Sql, userId: string, kept: number): Promise<void> {
  const own = sql.selectFrom('handoffs').select('ticket_hash').where('user_id', '=', userId);
  await sql
    .deleteFrom('handoffs')
    .where('ticket_hash', 'in', own.orderBy('created_at', 'desc').orderBy('ticket_hash').offset(kept))
    .execute();
}

export function findByTicket(sql: Sql, ticketHash: Hashed, now: Date): Promise<HandoffRow | undefined> {
  return sql
    .selectFrom('handoffs')
    .selectAll()
    .where('ticket_hash', '=', ticketHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export function findByKey(sql: Sql, keyHash: Hashed, now: Date): Promise<HandoffRow | undefined> {
  return sql
    .selectFrom('handoffs')
    .selectAll()
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export function lockByKey(tx: Tx, keyHash: Hashed, now: Date): Promise<HandoffRow | undefined> {
  return tx
    .selectFrom('handoffs')
    .selectAll()
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst();
}

/** Stores the newest message. Returns false if the handoff was used meanwhile. */
export async function setChallenge(
  sql: Sql,
  ticketHash: Hashed,
  { challengeHash, now }: { challengeHash: Hashed; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('handoffs')
    .set((eb) => ({ challenge_hash: challengeHash, opened_at: eb.fn.coalesce('opened_at', eb.val(now)) }))
    .where('ticket_hash', '=', ticketHash)
    .where('proven_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Consumes the newest message, so that a failed attempt does not leave it usable. Returns false if it is not the
 * newest.
 */
export async function useChallenge(sql: Sql, ticketHash: Hashed, challengeHash: Hashed): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('handoffs')
    .set({ challenge_hash: null })
    .where('ticket_hash', '=', ticketHash)
    .where('challenge_hash', '=', challengeHash)
    .where('proven_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores what the newest message proved, and consumes the message, once. */
export async function setProven(
  sql: Sql,
  ticketHash: Hashed,
  { content, challengeHash, now }: { content: Sealed; challengeHash: Hashed; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('handoffs')
    .set({ content, proven_at: now, challenge_hash: null })
    .where('ticket_hash', '=', ticketHash)
    .where('challenge_hash', '=', challengeHash)
    .where('proven_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function countWrongCode(tx: Tx, ticketHash: Hashed): Promise<void> {
  await tx
    .updateTable('handoffs')
    .set((eb) => ({ wrong_codes: eb('wrong_codes', '+', 1) }))
    .where('ticket_hash', '=', ticketHash)
    .execute();
}

export async function deleteHandoff(sql: Sql, ticketHash: Hashed): Promise<void> {
  await sql.deleteFrom('handoffs').where('ticket_hash', '=', ticketHash).execute();
}

export async function deleteHandoffsOf(sql: Sql, userId: string): Promise<void> {
  await sql.deleteFrom('handoffs').where('user_id', '=', userId).execute();
}

export async function deleteExpired(sql: Sql, now: Date): Promise<void> {
  await sql.deleteFrom('handoffs').where('expires_at', '<=', now).execute();
}
