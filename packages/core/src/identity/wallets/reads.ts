import { type Page, principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { type ConnectionRow, selectConnections } from './community-queries.ts';
import './queries.ts';
import { type Sql, sql } from '@latchkey/db';
import { selectUsersSharingWallets, type WalletRow } from './queries.ts';

/** Lists where the caller's wallets are connected, oldest first. */
export async function listWallets(ctx: Context, request: PageRequest): Promise<Page<WalletConnection>> {
  const userId = principalId(ctx.actor);
  const page = await ctx.tx((tx) =>
    paginate(ctx, request, {
      list: 'wallets',
      read: (after, limit) => selectConnections(tx, userId, after, limit),
      cursorOf: ({ connected_at, connection_id }) => [connected_at.toISOString(), connection_id],
    }),
  );
  return { ...page, items: page.items.map(toWalletConnection) };
}

/** Lists other accounts with at least one of the caller's wallets: the same person on another platform. */
export async function listUsersSharingWallets(ctx: Context): Promise<string[]> {
  const rows = await selectUsersSharingWallets(ctx.db.system, principalId(ctx.actor));
  return rows.map((row) => row.user_id);
}

export const WalletConnection = record('WalletConnection', 'A wallet that is linked to a user.', {
  id: T.Optional(text('The id of the connection.')),
  createdTime: T.Optional(text('When the wallet was connected, in ISO 8601.')),
  pk: T.Optional(text('The user.')),
  sk: T.Optional(text('WALLET#, the community it is connected to and #, if there is one, and the address.')),
  classifier: T.Optional(text('Always WALLET.')),
  classifierGroup: T.Optional(text('Always WALLET.')),
  address: T.Optional(text('The address, as it was linked.')),
  signerAddress: T.Optional(text('Who signed for it, when that is another address.')),
  contract: T.Optional(text('The contract of a contract wallet, if it is one.')),
  accountId: T.Optional(text('The account in CAIP-10 form.')),
  userId: T.Optional(text('The user.')),
  platform: T.Optional(text('The chat platform of the user.')),
  communityId: T.Optional(
    text(
      'The community the wallet is connected to. Without one it is connected everywhere its owner did not disconnect it.',
    ),
  ),
  communityPk: T.Optional(text('The qualified id of that community.')),
  walletType: T.Optional(text('The kind of wallet, as the client called it.')),
  metadata: T.Optional(
    T.Unsafe<Record<string, boolean>>({
      type: 'object',
      description: 'Marks that the client set.',
      additionalProperties: { type: 'boolean' },
      maxProperties: 50,
    }),
  ),
});

export type WalletConnection = ValueOf<typeof WalletConnection>;

const anyChain: Readonly<Record<string, string>> = { evm: '1', solana: 'mainnet-beta', flow: 'mainnet' };

export type ShownWallet = Pick<
  WalletRow,
  'namespace' | 'address' | 'contract_chain' | 'linked_chain' | 'shown_address'
>;

/**
 * Returns the account in CAIP-10 form, as it was linked. A key is one account on all chains of its namespace, so if
 * none was given, the main chain represents all.
 */
export function walletAccountId(wallet: ShownWallet): string {
  const { namespace, contract_chain, linked_chain } = wallet;
  const chain = contract_chain ?? linked_chain ?? anyChain[namespace] ?? 'mainnet';
  return `${namespace}:${chain}:${shownAddress(wallet)}`;
}

/** Returns the address as it was written when the wallet was linked. */
export function shownAddress({ address, shown_address }: ShownWallet): string {
  return shown_address ?? address;
}

export function toWalletConnection(row: ConnectionRow): WalletConnection {
  const address = shownAddress(row);
  return {
    id: row.connection_id,
    createdTime: row.connected_at.toISOString(),
    pk: row.user_id,
    sk: `WALLET#${row.community_id === null ? '' : `${row.community_id}#`}${address}`,
    classifier: 'WALLET',
    classifierGroup: 'WALLET',
    address,
    accountId: walletAccountId(row),
    userId: row.user_id,
    platform: row.platform,
    ...(row.signer_address !== null && { signerAddress: row.signer_address }),
    ...(row.contract !== null && { contract: row.contract }),
    ...(row.community_id !== null && {
      communityPk: row.community_id,
      communityId: row.community_id.split('#').slice(2).join('#'),
    }),
    ...(row.wallet_type !== null && { walletType: row.wallet_type }),
    metadata: row.metadata,
  };
}

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

/**
 * Returns a wallet's own account: a sign-in with a wallet that belongs to no other account uses it. The account of a
 * contract includes its chain, since on another chain the address may have another owner.
 */
export function ownAccountOf({
  address,
  contractChain,
}: {
  address: string;
  contractChain?: string | null | undefined;
}): string {
  return `ETH#USER#${contractChain ? `${contractChain}:` : ''}${address}`;
}

/** Whether a link is the one of a wallet to its own account, to which it can always sign in. */
export function isOwnAccount({ user_id, address, contract_chain }: WalletRow): boolean {
  return user_id === ownAccountOf({ address, contractChain: contract_chain });
}

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
