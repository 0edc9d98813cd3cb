import { type Sealed, type Sql, sql, type Tx } from '@latchkey/db';
import type { KeyMade } from '../../services/signer/index.ts';
import type { Erasure } from '../../shared/module.ts';

export interface HostedWalletRow {
  user_id: string;
  platform: string;
  id: string;
  salt: string;
  state: 'new' | 'made' | 'registered';
  address: string | null;
  public_key: string | null;
  token_id: string | null;
  chain_id: number;
  prepared_hash: string | null;
  tx_hash: string | null;
  created_at: Date;
  registered_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    hosted_wallets: HostedWalletRow;
    registrar_keys: { id: number; private_key: Sealed; created_at: Date };
  }
}

export function findWallet(db: Sql, userId: string): Promise<HostedWalletRow | undefined> {
  return db.selectFrom('hosted_wallets').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Does nothing if the user has one. Returns the stored wallet. */
export async function insertWallet(tx: Tx, row: HostedWalletRow): Promise<HostedWalletRow> {
  await tx
    .insertInto('hosted_wallets')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
  return (await findWallet(tx, row.user_id)) ?? row;
}

/** Returns undefined if the wallet is gone or already has a key. */
export function setMade(tx: Tx, userId: string, key: KeyMade): Promise<HostedWalletRow | undefined> {
  return tx
    .updateTable('hosted_wallets')
    .set({ state: 'made', address: key.address, public_key: key.publicKey, token_id: key.tokenId })
    .where('user_id', '=', userId)
    .where('state', '=', 'new')
    .returningAll()
    .executeTakeFirst();
}

export async function setPrepared(
  db: Sql,
  id: string,
  { hash, chainId }: { hash: string; chainId: number },
): Promise<void> {
  await db.updateTable('hosted_wallets').set({ prepared_hash: hash, chain_id: chainId }).where('id', '=', id).execute();
}

export async function setSent(db: Sql, id: string, txHash: string): Promise<void> {
  await db.updateTable('hosted_wallets').set({ tx_hash: txHash }).where('id', '=', id).execute();
}

export async function setRegistered(db: Sql, id: string, txHash: string, now: Date): Promise<void> {
  await db
    .updateTable('hosted_wallets')
    .set({ state: 'registered', tx_hash: txHash, registered_at: now })
    .where('id', '=', id)
    .execute();
}

/** Resets the registration of every wallet on a chain, and returns the wallets. */
export function resetRegistrations(tx: Tx, chainId: number): Promise<HostedWalletRow[]> {
  return tx
    .updateTable('hosted_wallets')
    .set({ state: 'made', prepared_hash: null, tx_hash: null, registered_at: null })
    .where('chain_id', '=', chainId)
    .where('state', '<>', 'new')
    .returningAll()
    .execute();
}

async function deleteWallet(tx: Tx, userId: string): Promise<boolean> {
  const result = await tx.deleteFrom('hosted_wallets').where('user_id', '=', userId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Returns the sealed registrar key; stores `fresh` if there is none yet. */
export async function getRegistrarKey(db: Sql, fresh: Sealed, now: Date): Promise<Sealed> {
  await db
    .insertInto('registrar_keys')
    .values({ id: 1, private_key: fresh, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await db.selectFrom('registrar_keys').select('private_key').executeTakeFirstOrThrow();
  return row.private_key;
}

/** Counts the wallets that have a key with the signer. Takes an untyped connection, as a restore uses. */
export async function countWalletsWithKeys(client: {
  query(text: string): Promise<{ rows: readonly unknown[] }>;
}): Promise<number> {
  return (await client.query(`select from hosted_wallets where state <> 'new'`)).rows.length;
}

/** The query that counts the wallets whose key is not in a copy of the signer's keys. */
export function countKeyless(copyOfKeys: string): string {
  return `select count(*) from hosted_wallets w where state <> 'new' and not exists (
    select from ${copyOfKeys} k where k.user_id = w.user_id and lower(k.address) = lower(w.address))`;
}

/**
 * Erases a user's hosted wallet and its data: the key, what it signed, and the salt that could link the registry's
 * entry to them. This is permanent: what the wallet holds can never be moved again.
 */
export async function forgetHostedWallet(tx: Tx, userId: string): Promise<boolean> {
  // If no signer has ever run, there is no schema, and no key either.
  const { rows } = await sql<{ has: boolean }>`select to_regproc('signer.forget') is not null as has`.execute(tx);
  if (rows[0]?.has) await sql`select signer.forget(${userId})`.execute(tx);
  return deleteWallet(tx, userId);
}

export const hostedWalletsErasure: Erasure = {
  columns: ['hosted_wallets.user_id', 'hosted_wallets.address', 'hosted_wallet_approvals.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('hosted_wallet_approvals').where('user_id', '=', userId).execute();
    await forgetHostedWallet(tx, userId);
  },
};
