import { type Sql, sql } from '@latchkey/db';
import { type ConnectionRow, countsIn } from './community-queries.ts';
import { serviceNamespaces } from './wallet-chains.ts';

// What member lists show of wallets. Service accounts are not wallets.

/** An SQL condition: whether a user has a wallet that counts in a community. */
export function walletCountsFor(user: ReturnType<typeof sql.ref>, communityId: ReturnType<typeof sql>) {
  return sql<boolean>`exists (
    select from wallet_connections w
    where w.user_id = ${user} and w.namespace <> all(${serviceNamespaces}::text[]) and ${countsIn('w', communityId)})`;
}

/** Finds users with a wallet in a community whose address contains this text; only the given user, if any. */
export async function selectByAddressPart(
  db: Sql,
  communityId: string,
  part: string,
  { userId, limit }: { userId?: string | undefined; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select distinct w.user_id from wallet_connections w
    where strpos(lower(w.address), lower(${part})) > 0 and (${userId ?? null}::text is null or w.user_id = ${userId ?? null})
      and w.namespace <> all(${serviceNamespaces}::text[]) and ${countsIn('w', sql`${communityId}`)}
    limit ${limit}`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

/** Lists the wallets of a user that count in a community, oldest first, and since when. */
export async function selectCounted(
  db: Sql,
  communityId: string,
  userId: string,
): Promise<Pick<ConnectionRow, 'id' | 'namespace' | 'address' | 'shown_address' | 'connected_at'>[]> {
  const { rows } = await sql<Pick<ConnectionRow, 'id' | 'namespace' | 'address' | 'shown_address' | 'connected_at'>>`
    select w.id, w.namespace, w.address, w.shown_address,
      case when w.is_everywhere then w.created_at else c.created_at end as connected_at
    from wallet_connections w
    left join wallet_communities c on c.link_id = w.id and c.community_id = ${communityId}
    where w.user_id = ${userId} and coalesce(c.is_connected, w.is_everywhere)
      and w.namespace <> all(${serviceNamespaces}::text[])
    order by connected_at, w.id`.execute(db);
  return rows;
}

/** Counts these users' wallets that count in a community. Users without any are absent. */
export async function countWalletsOf(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ user_id: string; count: number }>`
    select w.user_id, count(*) as count from wallet_connections w
    where w.user_id = any(${[...userIds]}::text[]) and w.namespace <> all(${serviceNamespaces}::text[])
      and ${countsIn('w', sql`${communityId}`)}
    group by w.user_id`.execute(db);
  return new Map(rows.map(({ user_id, count }) => [user_id, count]));
}

/** Counts the wallets that a user has linked, regardless of the communities they count in. */
export async function countLinkedWallets(db: Sql, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from wallet_connections
    where user_id = ${userId} and namespace <> all(${serviceNamespaces}::text[])`.execute(db);
  return rows[0]?.count ?? 0;
}
