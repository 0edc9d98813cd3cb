import { type Sql, sql, type Tx } from '@latchkey/db';
import type { SafeCall } from '../../ports/index.ts';
import type { Erasure } from '../../shared/module.ts';
import type { Holder } from './treasury.ts';

export interface TreasuryRow {
  kind: Holder['kind'];
  holder_id: string;
  /** In EIP-55 form, like every address here. */
  safe_address: string;
  owner_address: string;
  chain_id: number;
  handed_over_to: string | null;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    treasuries: TreasuryRow;
  }
}

export function selectTreasury(db: Sql, { kind, id }: Holder): Promise<TreasuryRow | undefined> {
  return db
    .selectFrom('treasuries')
    .selectAll()
    .where('kind', '=', kind)
    .where('holder_id', '=', id)
    .executeTakeFirst();
}

/** Finds a wallet by its address, in any case. */
export function findTreasury(db: Sql, address: string): Promise<TreasuryRow | undefined> {
  return db
    .selectFrom('treasuries')
    .selectAll()
    .where(sql<boolean>`lower(safe_address) = ${address.toLowerCase()}`)
    .executeTakeFirst();
}

/** Locks this wallet's actions until the transaction ends. */
export async function lockTreasury(tx: Tx, safeAddress: string): Promise<TreasuryRow | undefined> {
  return tx.selectFrom('treasuries').selectAll().where('safe_address', '=', safeAddress).forUpdate().executeTakeFirst();
}

/** Does nothing if the holder has a wallet. */
export async function insertTreasury(db: Sql, row: TreasuryRow): Promise<void> {
  await db
    .insertInto('treasuries')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function setHandedOver(db: Sql, safeAddress: string, to: string): Promise<void> {
  await db.updateTable('treasuries').set({ handed_over_to: to }).where('safe_address', '=', safeAddress).execute();
}

/** Deletes a wallet, its history and its key. This server can never move what it holds again. */
export async function forgetTreasury(tx: Tx, holder: Holder, signerUser: string): Promise<void> {
  await tx.deleteFrom('treasuries').where('kind', '=', holder.kind).where('holder_id', '=', holder.id).execute();
  // If no signer has ever run, there is no schema, and no key either.
  const { rows } = await sql<{ has: boolean }>`select to_regproc('signer.forget') is not null as has`.execute(tx);
  if (rows[0]?.has) await sql`select signer.forget(${signerUser})`.execute(tx);
}

/** A call as stored: 256-bit numbers are strings. */
export type StoredCall = Omit<SafeCall, 'value'> & { value: string };

/** Deletes who made a transfer. The transfer itself is public on its chain. */
export const treasuriesErasure: Erasure = {
  columns: ['treasury_actions.requested_by_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('treasury_actions')
      .set({ requested_by_id: pseudonym })
      .where('requested_by_id', '=', userId)
      .execute();
  },
};
