import { type Sql, sql, type Tx } from '@latchkey/db';
import type { WalletRow } from './queries.ts';
import { serviceNamespaces } from './wallet-chains.ts';

interface CommunityRow {
  id: string;
  link_id: string;
  community_id: string;
  user_id: string;
  /** False if a wallet that counts everywhere was disconnected here. */
  is_connected: boolean;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    wallet_communities: CommunityRow;
  }
}

/** A linked wallet with its scope: one community, or the whole account. */
export interface ConnectionRow extends WalletRow {
  connection_id: string;
  community_id: string | null;
  connected_at: Date;
}

/** Whether a link counts in a community: the setting for that community, or else the link's default. */
export function countsIn(link: string, communityId: ReturnType<typeof sql>) {
  return sql<boolean>`coalesce(
    (select c.is_connected from wallet_communities c
     where c.link_id = ${sql.ref(`${link}.id`)} and c.community_id = ${communityId}),
    ${sql.ref(`${link}.is_everywhere`)})`;
}

export async function isCounted(db: Sql, linkId: string, communityId: string): Promise<boolean> {
  const { rows } = await sql<{ counts: boolean }>`
    select ${countsIn('w', sql`${communityId}`)} as counts from wallet_connections w where w.id = ${linkId}`.execute(
    db,
  );
  return rows[0]?.counts ?? false;
}

/** Records whether a link counts in a community. Returns the connection, and whether that is a change. */
export async function putCommunity(
  tx: Tx,
  row: CommunityRow,
): Promise<{ isSaidAnew: boolean; connection: Omit<ConnectionRow, keyof WalletRow> }> {
  const put = await sql`
    insert into wallet_communities (id, link_id, community_id, user_id, is_connected, created_at)
    values (${row.id}, ${row.link_id}, ${row.community_id}, ${row.user_id}, ${row.is_connected}, ${row.created_at})
    on conflict (link_id, community_id) do update
      set is_connected = excluded.is_connected, created_at = excluded.created_at
      where wallet_communities.is_connected <> excluded.is_connected
    returning id`.execute(tx);
  const connection = await tx
    .selectFrom('wallet_communities')
    .select(['id as connection_id', 'community_id', 'created_at as connected_at'])
    .where('link_id', '=', row.link_id)
    .where('community_id', '=', row.community_id)
    .executeTakeFirstOrThrow();
  return { isSaidAnew: put.rows.length > 0, connection };
}

export async function deleteCommunity(tx: Tx, linkId: string, communityId: string): Promise<void> {
  await tx
    .deleteFrom('wallet_communities')
    .where('link_id', '=', linkId)
    .where('community_id', '=', communityId)
    .execute();
}

/** Makes a link count everywhere, including where it was disconnected. Returns whether that changed anything. */
export async function countEverywhere(tx: Tx, linkId: string): Promise<boolean> {
  const readmitted = await tx
    .deleteFrom('wallet_communities')
    .where('link_id', '=', linkId)
    .where('is_connected', '=', false)
    .executeTakeFirst();
  const widened = await tx
    .updateTable('wallet_connections')
    .set({ is_everywhere: true })
    .where('id', '=', linkId)
    .where('is_everywhere', '=', false)
    .executeTakeFirst();
  return readmitted.numDeletedRows + widened.numUpdatedRows > 0n;
}

/** Whether a link is explicitly connected to a community; without one, to any. */
export async function isConnectedTo(tx: Tx, linkId: string, communityId?: string): Promise<boolean> {
  const row = await tx
    .selectFrom('wallet_communities')
    .select('id')
    .where('link_id', '=', linkId)
    .where('is_connected', '=', true)
    .$if(communityId !== undefined, (query) => query.where('community_id', '=', communityId ?? ''))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Lists the connections of a user, oldest first: one for each community that a wallet is connected to, and one without
 * a community for a wallet that counts everywhere or in none.
 */
export async function selectConnections(
  db: Sql,
  userId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<ConnectionRow[]> {
  const [connectedAt = null, id = null] = after ?? [];
  const { rows } = await sql<ConnectionRow>`
    with connections as (
      select c.link_id, c.id as connection_id, c.community_id, c.created_at as connected_at from wallet_communities c
      where c.user_id = ${userId} and c.is_connected
      union all
      select w.id, w.id, null, w.created_at from wallet_connections w
      where w.user_id = ${userId} and (w.is_everywhere or not exists (
        select from wallet_communities c where c.link_id = w.id and c.is_connected
      ))
    )
    select w.*, n.connection_id, n.community_id, n.connected_at
    from connections n join wallet_connections w on w.id = n.link_id
    where w.namespace <> all(${serviceNamespaces}::text[])
      and (${connectedAt}::timestamptz is null or (n.connected_at, n.connection_id) > (${connectedAt}::timestamptz, ${id}::text))
    order by n.connected_at, n.connection_id limit ${limit}`.execute(db);
  return rows;
}

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
