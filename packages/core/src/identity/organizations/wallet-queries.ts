import type { Sql, Tx } from '@latchkey/db';

/** A stored wallet. */
export interface WalletRow {
  organization_id: string;
  created_by_id: string;
  owner_address: string;
  safe_address: string;
  chain_id: number;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    organization_wallets: WalletRow;
  }
}

export function selectWallet(tx: Sql, organizationId: string): Promise<WalletRow | undefined> {
  return tx
    .selectFrom('organization_wallets')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}

export async function insertWallet(tx: Tx, row: WalletRow): Promise<WalletRow> {
  await tx.insertInto('organization_wallets').values(row).execute();
  return row;
}
