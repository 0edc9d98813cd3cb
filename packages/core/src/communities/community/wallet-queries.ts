import type { Sealed, Sql, Tx } from '@latchkey/db';

/** A wallet as it is stored. */
export interface CommunityWalletRow {
  community_id: string;
  created_by_id: string;
  owner_address: string;
  /** Null where the signer keeps the key. */
  owner_key: Sealed | null;
  safe_address: string;
  chain_id: number;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_wallets: CommunityWalletRow;
  }
}

export function selectWallet(tx: Sql, communityId: string): Promise<CommunityWalletRow | undefined> {
  return tx.selectFrom('community_wallets').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

export async function insertWallet(tx: Tx, row: CommunityWalletRow): Promise<CommunityWalletRow> {
  await tx.insertInto('community_wallets').values(row).execute();
  return row;
}
