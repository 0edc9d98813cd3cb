import { type Sql, sql, type Tx } from '@latchkey/db';
import { countsIn } from './community-queries.ts';
import type { LinkedWallet } from './linked-wallets.ts';
import type { WalletRow } from './queries.ts';
import { serviceNamespaces } from './wallet-chains.ts';

// Members are kept by a feature that builds on this one and so cannot be imported; of their table only this is read here.

type Holding = Pick<WalletRow, 'namespace' | 'address' | 'contract_chain' | 'user_id'> & {
  community_id?: string | null;
};

// A contract speaks for its address on one chain, a key on all of them.
const isSameWallet = sql`
  theirs.namespace = mine.namespace and theirs.address = mine.address
  and (theirs.contract_chain is null or mine.contract_chain is null or theirs.contract_chain = mine.contract_chain)`;

const isPresent = (member: string) =>
  sql`${sql.ref(`${member}.left_at`)} is null and not ${sql.ref(`${member}.is_bot`)}`;

/**
 * Holders for whom the wallet counts where it is to count for the one named: in the community that it is connected to, or
 * without one in any community that both are in.
 */
function rivals({ namespace, address, contract_chain, user_id, community_id = null }: Holding) {
  return sql`
    with mine as (select ${namespace} as namespace, ${address} as address, ${contract_chain}::text as contract_chain)
    select theirs.id, theirs.user_id from wallet_connections theirs, mine
    where ${isSameWallet} and theirs.user_id <> ${user_id} and exists (
      select from community_members t
      where t.user_id = theirs.user_id and ${isPresent('t')} and ${countsIn('theirs', sql.ref('t.community_id'))}
        and case when ${community_id}::text is null then exists (
          select from community_members m
          where m.community_id = t.community_id and m.user_id = ${user_id} and ${isPresent('m')}
        ) else t.community_id = ${community_id}::text end
    )`;
}

/** Whether the wallet counts for another account where it is to count for this one. */
export async function isHeldByRival(tx: Tx, wallet: Holding): Promise<boolean> {
  const { rows } = await sql`${rivals(wallet)} limit 1`.execute(tx);
  return rows.length > 0;
}

/** The links of other accounts that stand in the way of this one. */
export async function selectRivals(tx: Tx, wallet: Holding): Promise<WalletRow[]> {
  const { rows } = await sql<WalletRow>`
    select w.* from wallet_connections w join (${rivals(wallet)}) r on w.id = r.id order by w.user_id, w.id`.execute(
    tx,
  );
  return rows;
}

/** Others who hold one of the user's wallets, or the one at an address: what the user does with it may concern them. */
export async function selectCoHolders(db: Sql, userId: string, addresses?: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select distinct theirs.user_id from wallet_connections mine join wallet_connections theirs on ${isSameWallet}
    where mine.user_id = ${userId} and theirs.user_id <> ${userId}
      and (${addresses === undefined} or mine.address = any(${addresses ?? []}::text[]))
    order by 1`.execute(db);
  return rows.map((row) => row.user_id);
}

/** Those of the co-holders who are in a community. */
export async function selectCoHoldersIn(
  db: Sql,
  communityId: string,
  userId: string,
  addresses?: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select distinct theirs.user_id from wallet_connections mine join wallet_connections theirs on ${isSameWallet}
    join community_members m on m.user_id = theirs.user_id and m.community_id = ${communityId} and ${isPresent('m')}
    where mine.user_id = ${userId} and theirs.user_id <> ${userId}
      and (${addresses === undefined} or mine.address = any(${addresses ?? []}::text[]))
    order by 1`.execute(db);
  return rows.map((row) => row.user_id);
}

/**
 * The wallets of users that count in a community: those connected to it, and those connected everywhere and not disconnected
 * there. A wallet that several of its members linked, before they met there, counts
 * for the one who linked it first, unless the operator allows wallets to be shared.
 */
export async function walletsInCommunity(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
  { allowSharedWallets = false }: { allowSharedWallets?: boolean | undefined },
): Promise<Map<string, LinkedWallet[]>> {
  if (userIds.length === 0) return new Map();
  const counts = (link: string) => countsIn(link, sql`${communityId}`);
  const { rows } = await sql<Holding>`
    select mine.user_id, mine.namespace, mine.address, mine.contract_chain from wallet_connections mine
    where mine.user_id = any(${[...userIds]}::text[]) and ${counts('mine')} and (${allowSharedWallets} or not exists (
      select from wallet_connections theirs
      join community_members m on m.user_id = theirs.user_id and m.community_id = ${communityId} and ${isPresent('m')}
      where ${isSameWallet} and theirs.user_id <> mine.user_id and ${counts('theirs')}
        and (theirs.created_at, theirs.id) < (mine.created_at, mine.id)
    ))
    order by mine.created_at, mine.id`.execute(db);
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

/** How many members of a community have a wallet that counts there. */
export async function countMembersWithWallets(db: Sql, communityId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from community_members m
    where m.community_id = ${communityId} and ${isPresent('m')} and exists (
      select from wallet_connections w
      where w.user_id = m.user_id and w.namespace <> all(${serviceNamespaces}::text[])
        and ${countsIn('w', sql`${communityId}`)}
    )`.execute(db);
  return rows[0]?.count ?? 0;
}

/** How many wallets that count in a community came to do so on each day of a span, in UTC, by namespace. */
export async function countConnectionsByDay(
  db: Sql,
  communityId: string,
  { from = null, to = null }: { from?: Date | null | undefined; to?: Date | null | undefined },
): Promise<{ date: string; namespace: string; count: number }[]> {
  const { rows } = await sql<{ date: string; namespace: string; count: number }>`
    with counted as (
      select w.namespace, case when w.is_everywhere then w.created_at else c.created_at end as at from wallet_connections w
      join community_members m
        on m.user_id = w.user_id and m.community_id = ${communityId} and ${isPresent('m')}
      left join wallet_communities c on c.link_id = w.id and c.community_id = m.community_id
      where coalesce(c.is_connected, w.is_everywhere) and w.namespace <> all(${serviceNamespaces}::text[])
    )
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, namespace, count(*) as count from counted
    where (${from}::timestamptz is null or at >= ${from}::timestamptz)
      and (${to}::timestamptz is null or at < ${to}::timestamptz)
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}
