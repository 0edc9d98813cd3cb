import type { Sql } from '@latchkey/db';
import type { ContractKey } from './nft-metadata.ts';

export interface DescriberRow {
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
