import { asJson, type Database, type Sql, type Tx } from '@latchkey/db';
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
