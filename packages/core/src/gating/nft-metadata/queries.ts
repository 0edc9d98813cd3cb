import { asJson, type Database, type Sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import type { ContractKey, ContractRow, TokenRow } from './nft-metadata.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    nft_contract_metadata: ContractRow;
    nft_token_metadata: TokenRow;
  }
}

export function selectContract(db: Sql, { chainId, contract }: ContractKey): Promise<ContractRow | undefined> {
  return db
    .selectFrom('nft_contract_metadata')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('contract', '=', contract)
    .executeTakeFirst();
}

export function selectToken(
  db: Sql,
  { chainId, contract }: ContractKey,
  tokenId: string,
): Promise<TokenRow | undefined> {
  return db
    .selectFrom('nft_token_metadata')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('contract', '=', contract)
    .where('token_id', '=', tokenId)
    .executeTakeFirst();
}

/** Transfers all metadata of a contract and its tokens to the new describer. */
export async function handoff(db: Database, { chainId, contract }: ContractKey, created_by_id: string): Promise<void> {
  await db.transaction('system', async (tx) => {
    for (const table of ['nft_contract_metadata', 'nft_token_metadata'] as const)
      await tx
        .updateTable(table)
        .set({ created_by_id })
        .where('chain_id', '=', chainId)
        .where('contract', '=', contract)
        .where('created_by_id', '<>', created_by_id)
        .execute();
  });
}

/** Inserts a new row, or updates one that the tenant may change. Undefined if it belongs to another tenant. */
export async function putContract(tx: Tx, row: ContractRow): Promise<ContractRow | undefined> {
  const content = asJson(row.content);
  const inserted = await tx
    .insertInto('nft_contract_metadata')
    .values({ ...row, content })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted !== undefined) return inserted;
  return tx
    .updateTable('nft_contract_metadata')
    .set({ content, updated_at: row.updated_at })
    .where('chain_id', '=', row.chain_id)
    .where('contract', '=', row.contract)
    .returningAll()
    .executeTakeFirst();
}

/** The same for a token. */
export async function putToken(tx: Tx, row: TokenRow): Promise<TokenRow | undefined> {
  const content = asJson(row.content);
  const inserted = await tx
    .insertInto('nft_token_metadata')
    .values({ ...row, content })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (inserted !== undefined) return inserted;
  return tx
    .updateTable('nft_token_metadata')
    .set({ content, updated_at: row.updated_at })
    .where('chain_id', '=', row.chain_id)
    .where('contract', '=', row.contract)
    .where('token_id', '=', row.token_id)
    .returningAll()
    .executeTakeFirst();
}

interface DescriberRow {
  chain_id: number;
  contract: string;
  /** The id of a user or of a client application. */
  describer_id: string;
  named_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    nft_describers: DescriberRow;
  }
}

export async function isDescriber(db: Sql, { chainId, contract }: ContractKey, describerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('nft_describers')
    .select('describer_id')
    .where('chain_id', '=', chainId)
    .where('contract', '=', contract)
    .where('describer_id', '=', describerId)
    .executeTakeFirst();
  return row !== undefined;
}

export function selectDescribers(db: Sql, { chainId, contract }: ContractKey, limit: number): Promise<DescriberRow[]> {
  return db
    .selectFrom('nft_describers')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('contract', '=', contract)
    .orderBy('named_at')
    .orderBy('describer_id')
    .limit(limit)
    .execute();
}

export async function insertDescriber(db: Sql, row: DescriberRow): Promise<void> {
  await db
    .insertInto('nft_describers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteDescriber(
  db: Sql,
  { chainId, contract }: ContractKey,
  describerId: string,
): Promise<boolean> {
  const result = await db
    .deleteFrom('nft_describers')
    .where('chain_id', '=', chainId)
    .where('contract', '=', contract)
    .where('describer_id', '=', describerId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/**
 * Deletes who described contracts and tokens, or may. The descriptions are public and belong to the holders, so they
 * stay.
 */
export const nftMetadataErasure: Erasure = {
  columns: ['nft_contract_metadata.created_by_id', 'nft_token_metadata.created_by_id', 'nft_describers.describer_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    for (const table of ['nft_contract_metadata', 'nft_token_metadata'] as const)
      await tx.updateTable(table).set({ created_by_id: pseudonym }).where('created_by_id', '=', userId).execute();
    await tx.deleteFrom('nft_describers').where('describer_id', '=', userId).execute();
  },
};
