import { type Sql, sql, type Tx } from '@latchkey/db';
import type { LinkedWallet } from './linked-wallets.ts';
import type { WalletRow } from './queries.ts';

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

/** Holders of the wallet who are in a community with the one named, or in the community that the wallet is linked for. */
function rivals({ namespace, address, contract_chain, user_id, community_id = null }: Holding) {
  return sql`
    with mine as (select ${namespace} as namespace, ${address} as address, ${contract_chain}::text as contract_chain)
    select theirs.id, theirs.user_id from wallet_connections theirs, mine
    where ${isSameWallet} and theirs.user_id <> ${user_id} and exists (
      select from community_members t where t.user_id = theirs.user_id and ${isPresent('t')} and (
        t.community_id = ${community_id}::text or exists (
          select from community_members m
          where m.community_id = t.community_id and m.user_id = ${user_id} and ${isPresent('m')}
        )
      )
    )`;
}

/** Whether another account of a community that the account is in has the wallet. */
export async function isHeldByRival(tx: Tx, wallet: Holding): Promise<boolean> {
  const { rows } = await sql`${rivals(wallet)} limit 1`.execute(tx);
  return rows.length > 0;
}

/** Takes the wallet from other accounts of the communities that the account is in. Answers which they were. */
export async function takeFromRivals(tx: Tx, wallet: Holding): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    delete from wallet_connections w using (${rivals(wallet)}) r where w.id = r.id returning w.user_id`.execute(tx);
  return [...new Set(rows.map((row) => row.user_id))].toSorted();
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
export async function selectCoHoldersIn(db: Sql, communityId: string, userId: string): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select distinct theirs.user_id from wallet_connections mine join wallet_connections theirs on ${isSameWallet}
    join community_members m on m.user_id = theirs.user_id and m.community_id = ${communityId} and ${isPresent('m')}
    where mine.user_id = ${userId} and theirs.user_id <> ${userId} order by 1`.execute(db);
  return rows.map((row) => row.user_id);
}

/**
 * The wallets of users that count in a community. A wallet that several of its members linked, before they met there, counts
 * for the one who linked it first, unless the operator allows wallets to be shared.
 */
export async function walletsInCommunity(
  db: Sql,
  communityId: string,
  userIds: readonly string[],
  { allowSharedWallets = false }: { allowSharedWallets?: boolean | undefined },
): Promise<Map<string, LinkedWallet[]>> {
  if (userIds.length === 0) return new Map();
  const { rows } = await sql<Holding>`
    select mine.user_id, mine.namespace, mine.address, mine.contract_chain from wallet_connections mine
    where mine.user_id = any(${[...userIds]}::text[]) and (${allowSharedWallets} or not exists (
      select from wallet_connections theirs
      join community_members m on m.user_id = theirs.user_id and m.community_id = ${communityId} and ${isPresent('m')}
      where ${isSameWallet} and theirs.user_id <> mine.user_id
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
