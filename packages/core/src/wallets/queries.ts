import type { Database } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';

declare module '@latchkey/db/tables' {
  interface Tables {
    wallet_connections: {
      id: string;
      user_id: string;
      platform: string;
      user_name: string | null;
      /** The chain namespace: `evm` for every EVM chain, since one key is one address on all of them. */
      namespace: string;
      /** In the one spelling its namespace prescribes; EVM addresses with EIP-55 capitals. */
      address: string;
      created_at: Date;
    };
  }
}

/** The user a wallet is linked to. A wallet linked to several users names none of them, so that it cannot speak for either. */
export async function findUserByWallet(
  db: Database,
  address: string,
): Promise<Extract<Actor, { kind: 'user' }> | undefined> {
  const rows = await db.system
    .selectFrom('wallet_connections')
    .select(['user_id', 'platform', 'user_name'])
    .where('namespace', '=', 'evm')
    .where('address', '=', address)
    .limit(2)
    .execute();
  const [row, other] = rows;
  if (row === undefined || other !== undefined) return undefined;
  return {
    kind: 'user',
    userId: row.user_id,
    platform: row.platform,
    ...(row.user_name !== null && { name: row.user_name }),
    scopes: ['$all'],
  };
}
