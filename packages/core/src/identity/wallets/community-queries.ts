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
