import { asJson, type Hashed, type Sql, sql, type Tx } from '@latchkey/db';
import type { NearDraft } from '../../ports/index.ts';
import type { Erasure } from '../../shared/module.ts';

export interface NearContractRow {
  network: string;
  address: string;
  kind: 'token' | 'market';
  created_by_id: string;
  name: string | null;
  symbol: string | null;
  metadata_url: string | null;
  owner: string | null;
  classification: string | null;
  state: 'pending' | 'active';
  transaction_hash: string | null;
  created_at: Date;
}

export interface NearTransactionRow {
  network: string;
  hash: string;
  signer_id: string;
  signed: Uint8Array;
  purpose: string | null;
  request_hash: string | null;
  state: 'signed' | 'done' | 'failed' | 'refused';
  result: unknown;
  created_by_id: string;
  created_at: Date;
  settled_at: Date | null;
}

export interface NearIntentRow {
  id: string;
  network: string;
  created_by_id: string;
  operation: string;
  request_hash: string;
  drafts: readonly NearDraft[];
  seen: Readonly<Record<string, unknown>>;
  created_at: Date;
}

export interface NearAccountRow {
  network: string;
  account_id: string;
  created_by_id: string;
  public_key: string;
  extra_public_keys: string[];
  origin: 'made' | 'proven';
  state: 'pending' | 'active';
  transaction_hash: string | null;
  created_at: Date;
}

export interface NearSignInSessionRow {
  state_hash: Hashed;
  network: string;
  created_by_id: string;
  contract_id: string;
  method_name: string;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    near_contracts: NearContractRow;
    near_transactions: NearTransactionRow;
    near_nonces: { network: string; public_key: string; nonce: number };
    near_intents: NearIntentRow;
    near_accounts: NearAccountRow;
    near_sign_in_sessions: NearSignInSessionRow;
  }
}

/** JSON that is returned exactly as it was written. */
function asText<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::json`;
}

/** Returns the next nonce of a key: higher than any that was issued here, and than the chain's. */
export async function takeNonce(tx: Tx, network: string, publicKey: string, seenNonce: number): Promise<number> {
  const { rows } = await sql<{ nonce: number }>`
    insert into near_nonces (network, public_key, nonce) values (${network}, ${publicKey}, ${seenNonce + 1})
    on conflict (network, public_key) do update set nonce = greatest(near_nonces.nonce, ${seenNonce}) + 1
    returning nonce`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('The nonce was not issued.');
  return row.nonce;
}

/** Returns false if a transaction with this hash, or one for the same purpose, is already stored. */
export async function insertTransaction(
  tx: Tx,
  row: Omit<NearTransactionRow, 'state' | 'result' | 'settled_at'>,
): Promise<boolean> {
  const signed = Buffer.from(row.signed);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('near_transactions')
    .values({ ...row, signed, state: 'signed', result: null, settled_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export function findTransaction(db: Sql, network: string, hash: string): Promise<NearTransactionRow | undefined> {
  return db
    .selectFrom('near_transactions')
    .selectAll()
    .where('network', '=', network)
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/** Finds the pending or completed transaction for a purpose. */
export function findByPurpose(db: Sql, network: string, purpose: string): Promise<NearTransactionRow | undefined> {
  return db
    .selectFrom('near_transactions')
    .selectAll()
    .where('network', '=', network)
    .where('purpose', '=', purpose)
    .where('state', 'in', ['signed', 'done'])
    .executeTakeFirst();
}

/** Finds the completed transactions for any of these purposes. */
export function findDone(db: Sql, network: string, purposes: readonly string[]): Promise<NearTransactionRow[]> {
  if (purposes.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('near_transactions')
    .selectAll()
    .where('network', '=', network)
    .where('purpose', 'in', purposes)
    .where('state', '=', 'done')
    .execute();
}

export async function resolveTransaction(
  db: Sql,
  { network, hash }: Pick<NearTransactionRow, 'network' | 'hash'>,
  settled: Pick<NearTransactionRow, 'state' | 'result' | 'settled_at'>,
): Promise<void> {
  await db
    .updateTable('near_transactions')
    .set({ ...settled, result: asJson(settled.result) })
    .where('network', '=', network)
    .where('hash', '=', hash)
    .where('state', '=', 'signed')
    .execute();
}

/** Lets a purpose be pursued again; its earlier transaction stays stored. */
export async function retireTransaction(
  db: Sql,
  { network, hash }: Pick<NearTransactionRow, 'network' | 'hash'>,
): Promise<void> {
  await db
    .updateTable('near_transactions')
    .set({ purpose: null })
    .where('network', '=', network)
    .where('hash', '=', hash)
    .where('state', '=', 'done')
    .execute();
}

export function openTransactions(db: Sql, signedBefore: Date, limit: number): Promise<NearTransactionRow[]> {
  return db
    .selectFrom('near_transactions')
    .selectAll()
    .where('state', '=', 'signed')
    .where('created_at', '<', signedBefore)
    .orderBy('created_at')
    .limit(limit)
    .execute();
}

export async function insertIntent(tx: Tx, row: NearIntentRow): Promise<void> {
  await tx
    .insertInto('near_intents')
    .values({ ...row, drafts: asText(row.drafts), seen: asText(row.seen) })
    .execute();
}

/** Lists what the same caller was asked to sign for the same request, newest first. */
export function findIntents(
  db: Sql,
  { network, created_by_id, operation, request_hash }: Omit<NearIntentRow, 'id' | 'drafts' | 'seen' | 'created_at'>,
  since: Date,
): Promise<NearIntentRow[]> {
  return db
    .selectFrom('near_intents')
    .selectAll()
    .where('network', '=', network)
    .where('created_by_id', '=', created_by_id)
    .where('operation', '=', operation)
    .where('request_hash', '=', request_hash)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(10)
    .execute();
}

export async function deleteOldIntents(db: Sql, before: Date): Promise<void> {
  await db.deleteFrom('near_intents').where('created_at', '<', before).execute();
  await db.deleteFrom('near_sign_in_sessions').where('expires_at', '<', before).execute();
}

/**
 * Deletes who owned accounts and contracts, and what users signed. Data on the chain stays public; transactions that
 * this server signed itself are kept, so that none is sent twice.
 */
export const nearNftErasure: Erasure = {
  columns: [
    'near_contracts.created_by_id',
    'near_contracts.owner',
    'near_transactions.created_by_id',
    'near_transactions.signer_id',
    'near_intents.created_by_id',
    'near_accounts.created_by_id',
    'near_accounts.account_id',
    'near_sign_in_sessions.created_by_id',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    for (const table of ['near_intents', 'near_accounts', 'near_sign_in_sessions'] as const)
      await tx.deleteFrom(table).where('created_by_id', '=', userId).execute();
    // Without a purpose: a user signed it with their own key.
    await tx.deleteFrom('near_transactions').where('created_by_id', '=', userId).where('purpose', 'is', null).execute();
    await tx
      .updateTable('near_transactions')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .execute();
    await tx
      .updateTable('near_contracts')
      .set({ created_by_id: pseudonym, owner: null })
      .where('created_by_id', '=', userId)
      .execute();
  },
};
