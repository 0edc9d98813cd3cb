import { type RawBuilder, type Sql, sql, type Tx } from '@latchkey/db';
import { type AuditAction, principalId } from '@latchkey/kernel';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';
import { deleteLinkChallenges } from './challenge-queries.ts';
import { countsIn } from './community-queries.ts';
import type { WalletRow } from './queries.ts';
import type { LinkedWallet } from './reads.ts';
import { serviceNamespaces } from './wallet-chains.ts';

/** Deletes a user's wallets and every message that was issued to link one. */
export const walletsErasure: Erasure = {
  columns: [
    'wallet_connections.user_id',
    'wallet_connections.user_name',
    'wallet_connections.address',
    'wallet_connections.signer_address',
    'wallet_connections.account_name',
    'wallet_connections.shown_address',
    'wallet_communities.user_id',
    'wallet_link_challenges.user_id',
    'wallet_link_challenges.address',
    'wallet_link_challenges.shown_address',
    'wallet_link_challenges.signer',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await deleteLinkChallenges(tx, userId);
    await deleteLinksOf(tx, userId);
  },
};

/** Finds the linked account of a service; a user has one at most. */
export function findAccountOf(sql: Sql, userId: string, namespace: string): Promise<WalletRow | undefined> {
  return sql
    .selectFrom('wallet_connections')
    .selectAll()
    .where('user_id', '=', userId)
    .where('namespace', '=', namespace)
    .executeTakeFirst();
}

/** Account names change; the most recently proven one is shown. */
export async function setAccountName(
  tx: Tx,
  { user_id, namespace, address, account_name }: Pick<WalletRow, 'user_id' | 'namespace' | 'address' | 'account_name'>,
): Promise<void> {
  await tx
    .updateTable('wallet_connections')
    .set({ account_name })
    .where('user_id', '=', user_id)
    .where('namespace', '=', namespace)
    .where('address', '=', address)
    .execute();
}

/** Unlinks the caller's account of a service. Returns false if there is none. */
export function unlinkAccount(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin'>,
  namespace: string,
  action: AuditAction,
  changed: WalletsChanged,
): Promise<boolean> {
  const userId = principalId(ctx.actor);
  return ctx.db.transaction('system', async (tx) => {
    const linked = await findAccountOf(tx, userId, namespace);
    if (linked === undefined) return false;
    const others = await selectCoHolders(tx, userId, [linked.address]);
    const { numDeletedRows } = await tx.deleteFrom('wallet_connections').where('id', '=', linked.id).executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await changed(tx, userId, { gone: [linked.address] });
    await recordAudit(tx, auditOf(ctx, action, { target: linked.id }));
    for (const other of others) await changed(tx, other);
    return true;
  });
}

/** Deletes everything that a user has linked, for erasure. */
async function deleteLinksOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('wallet_connections').where('user_id', '=', userId).execute();
}

interface WalletChange {
  /** Addresses that were removed: their stored holdings are deleted. */
  gone?: readonly string[];
  /** The one community that the change affects. Defaults to every community of the user. */
  communityId?: string;
}

/** Called in the transaction that changes a user's wallets, so that roles which depend on them are re-checked. */
export type WalletsChanged = (tx: Tx, userId: string, change?: WalletChange) => Promise<void>;

// Memberships are not known here: statements about members take a query of their user ids.

type UserIds = RawBuilder<{ user_id: string }>;

export type WalletRef = Pick<WalletRow, 'namespace' | 'address' | 'contract_chain'>;

// A contract wallet is valid on one chain, a key on all of them.
const isSameWallet = sql`
  theirs.namespace = mine.namespace and theirs.address = mine.address
  and (theirs.contract_chain is null or mine.contract_chain is null or theirs.contract_chain = mine.contract_chain)`;

/** A condition on a link, given the link's alias in the statement. */
type LinkCondition = (link: string) => RawBuilder<boolean>;

function otherLinks({ namespace, address, contract_chain }: WalletRef, userId: string, where: LinkCondition) {
  return sql`wallet_connections theirs,
      (select ${namespace} as namespace, ${address} as address, ${contract_chain}::text as contract_chain) as mine
    where ${isSameWallet} and theirs.user_id <> ${userId} and ${where('theirs')}`;
}

/** Whether other users linked the wallet with links that meet a condition. */
export async function hasOtherLinks(tx: Tx, wallet: WalletRef, userId: string, where: LinkCondition): Promise<boolean> {
  const { rows } = await sql`select from ${otherLinks(wallet, userId, where)} limit 1`.execute(tx);
  return rows.length > 0;
}

/** Lists the links of other users to the wallet that meet a condition. */
export async function selectOtherLinks(
  tx: Tx,
  wallet: WalletRef,
  userId: string,
  where: LinkCondition,
): Promise<WalletRow[]> {
  const { rows } = await sql<WalletRow>`
    select theirs.* from ${otherLinks(wallet, userId, where)} order by theirs.user_id, theirs.id`.execute(tx);
  return rows;
}

/**
 * Finds other users who linked one of the user's wallets, or the wallet at one of these addresses, because the user's
 * changes may affect them. With `among`, only those of these users.
 */
export async function selectCoHolders(
  db: Sql,
  userId: string,
  addresses?: readonly string[],
  among?: UserIds,
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select distinct theirs.user_id from wallet_connections mine join wallet_connections theirs on ${isSameWallet}
    ${among === undefined ? sql`` : sql`join (${among}) m on m.user_id = theirs.user_id`}
    where mine.user_id = ${userId} and theirs.user_id <> ${userId}
      and (${addresses === undefined} or mine.address = any(${addresses ?? []}::text[]))
    order by 1`.execute(db);
  return rows.map((row) => row.user_id);
}

/**
 * Lists users' wallets that count in a community. A wallet that several of its members linked counts only for the one
 * who linked it first, unless wallets may be shared.
 */
export async function selectCountedWallets(
  db: Sql,
  { communityId, members, allowShared }: { communityId: string; members: UserIds; allowShared: boolean },
  userIds: readonly string[],
): Promise<Map<string, LinkedWallet[]>> {
  if (userIds.length === 0) return new Map();
  const counts = (link: string) => countsIn(link, sql`${communityId}`);
  const { rows } = await sql<WalletRef & { user_id: string }>`
    select mine.user_id, mine.namespace, mine.address, mine.contract_chain from wallet_connections mine
    where mine.user_id = any(${[...userIds]}::text[]) and ${counts('mine')} and (${allowShared} or not exists (
      select from wallet_connections theirs join (${members}) m on m.user_id = theirs.user_id
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

/**
 * Counts how many wallets of these users started to count in a community on each day of a period, in UTC, by namespace.
 */
export async function countCountedByDay(
  db: Sql,
  communityId: string,
  users: UserIds,
  { from = null, to = null }: { from?: Date | null | undefined; to?: Date | null | undefined },
): Promise<{ date: string; namespace: string; count: number }[]> {
  const { rows } = await sql<{ date: string; namespace: string; count: number }>`
    with counted as (
      select w.namespace, case when w.is_everywhere then w.created_at else c.created_at end as at from wallet_connections w
      join (${users}) m on m.user_id = w.user_id
      left join wallet_communities c on c.link_id = w.id and c.community_id = ${communityId}
      where coalesce(c.is_connected, w.is_everywhere) and w.namespace <> all(${serviceNamespaces}::text[])
    )
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as date, namespace, count(*) as count from counted
    where (${from}::timestamptz is null or at >= ${from}::timestamptz)
      and (${to}::timestamptz is null or at < ${to}::timestamptz)
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}
