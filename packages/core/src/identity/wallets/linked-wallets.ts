import type { Sql } from '@latchkey/db';

/** A wallet that a user proved to own. */
export interface LinkedWallet {
  namespace: string;
  /** In the canonical notation of its namespace. */
  address: string;
  /** A contract wallet is valid on this chain only; absent for wallets with a key. */
  contractChain?: string;
}

/** Returns the wallets of these users. Users without one are absent. */
export async function walletsOfUsers(sql: Sql, userIds: readonly string[]): Promise<Map<string, LinkedWallet[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await sql
    .selectFrom('wallet_connections')
    .select(['user_id', 'namespace', 'address', 'contract_chain'])
    .where('user_id', '=', (eb) => eb.fn.any(eb.val([...userIds])))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return new Map(
    [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, wallets]) => [
      userId,
      wallets.map(({ namespace, address, contract_chain }) => ({
        namespace,
        address,
        ...(contract_chain !== null && { contractChain: contract_chain }),
      })),
    ]),
  );
}

/** Returns the users that these accounts are linked to. */
export function usersOfWallets(
  sql: Sql,
  namespace: string,
  addresses: readonly string[],
): Promise<{ user_id: string; address: string }[]> {
  if (addresses.length === 0) return Promise.resolve([]);
  return sql
    .selectFrom('wallet_connections')
    .select(['user_id', 'address'])
    .where('namespace', '=', namespace)
    .where('address', '=', (eb) => eb.fn.any(eb.val([...addresses])))
    .execute();
}
