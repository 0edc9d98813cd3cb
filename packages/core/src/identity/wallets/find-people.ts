import { type Sql, sql } from '@latchkey/db';
import './queries.ts';

// Lists of several tables are merged, so the order must not depend on the database's collation.
const byBytes = sql<string>`user_id collate "C"`;

/** Lists the ids of users with a linked wallet after `after`, in order, each once. */
export async function searchWalletOwners(
  db: Sql,
  { ids, address, namePattern }: { ids?: readonly string[]; address?: string; namePattern?: string },
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('wallet_connections')
    .select(byBytes.as('id'))
    .distinct()
    .where(byBytes, '>', after)
    .$if(ids !== undefined, (query) => query.where('user_id', '=', (eb) => eb.fn.any(eb.val([...(ids ?? [])]))))
    .$if(address !== undefined, (query) => query.where(sql<boolean>`lower(address) = ${(address ?? '').toLowerCase()}`))
    .$if(namePattern !== undefined, (query) => query.where(sql<boolean>`lower(user_name) like ${namePattern ?? ''}`))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}
