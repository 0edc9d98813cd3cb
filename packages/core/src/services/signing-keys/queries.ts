import { type Sealed, type Sql, sql } from '@latchkey/db';
import type { SigningPurpose } from './signing-key.ts';

export interface SigningKeyRow {
  kid: string;
  purpose: SigningPurpose;
  public_key: string;
  private_key: Sealed;
  created_at: Date;
  retired_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    signing_keys: SigningKeyRow;
    master_key_check: { id: number; sealed: Sealed };
  }
}

/** The current key first, then the retired ones, newest first. */
export function selectPublished(db: Sql, purpose: SigningPurpose, oldest: Date): Promise<SigningKeyRow[]> {
  return db
    .selectFrom('signing_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .where((or) => or.or([or('retired_at', 'is', null), or('retired_at', '>', oldest)]))
    .orderBy(sql`retired_at desc nulls first`)
    .execute();
}

export async function hasCurrent(db: Sql, purpose: SigningPurpose): Promise<boolean> {
  const current = db
    .selectFrom('signing_keys')
    .select('kid')
    .where('purpose', '=', purpose)
    .where('retired_at', 'is', null);
  return (await current.executeTakeFirst()) !== undefined;
}

/** Does nothing if the purpose has a current key: a unique index allows only one. */
export async function insertCurrent(db: Sql, row: SigningKeyRow): Promise<void> {
  await db
    .insertInto('signing_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function retireCurrent(db: Sql, purpose: SigningPurpose, now: Date): Promise<void> {
  await db
    .updateTable('signing_keys')
    .set({ retired_at: now })
    .where('purpose', '=', purpose)
    .where('retired_at', 'is', null)
    .execute();
}

/** Makes other writers of the table wait until the transaction ends, but not readers. */
export async function lockForWriting(db: Sql): Promise<void> {
  await sql`lock table signing_keys in share row exclusive mode`.execute(db);
}

export async function deleteRetiredBefore(db: Sql, oldest: Date): Promise<number> {
  const deleted = await db.deleteFrom('signing_keys').where('retired_at', '<=', oldest).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

/** Lists every stored key without its private half: by purpose, the current one first. */
export function selectKeyStates(
  db: Sql,
): Promise<Pick<SigningKeyRow, 'kid' | 'purpose' | 'created_at' | 'retired_at'>[]> {
  return db
    .selectFrom('signing_keys')
    .select(['kid', 'purpose', 'created_at', 'retired_at'])
    .orderBy('purpose')
    .orderBy(sql`retired_at desc nulls first`)
    .execute();
}
