import { type Database, sql as raw, type Sql, type Tx } from '@latchkey/db';
import type { Generated } from 'kysely';
import { serviceNamespaces } from './wallet-chains.ts';

export interface WalletRow {
  id: string;
  user_id: string;
  platform: string;
  user_name: string | null;
  /** The chain namespace: `evm` for every EVM chain, since one key is one address on all of them. */
  namespace: string;
  /** In the canonical notation of its namespace; EVM addresses are checksummed (EIP-55). */
  address: string;
  /** A contract wallet is valid on this chain only; null for wallets with a key. */
  contract_chain: string | null;
  wallet_type: string | null;
  metadata: Record<string, boolean>;
  /** The signer, if that is another account: an owner of the contract at the address. */
  signer_address: string | null;
  /** Why the signer can sign for the address: `evm:1/gnosis/<safe>`. */
  contract: string | null;
  /** Whether it counts in every community of its owner, except where it was disconnected. */
  is_everywhere: boolean;
  /** The chain that was given when it was linked; a key is the same account on all chains of its namespace. */
  linked_chain: string | null;
  /** The address as the user wrote it then, if the notation differs. */
  shown_address: string | null;
  /** The scopes of the session that linked it: signing in with it never allows more. */
  scopes: string[];
  /** Since when its owner lets it sign in to the account; null for a wallet that only proves its holdings. */
  signs_in_since: Date | null;
  /** The account's name, for accounts that are not wallets. */
  account_name: string | null;
  /** When the chain last confirmed that the signer can sign for the address. */
  signer_checked_at: Date | null;
  created_at: Date;
}

type WithDefault =
  | 'contract_chain'
  | 'wallet_type'
  | 'metadata'
  | 'signer_address'
  | 'contract'
  | 'is_everywhere'
  | 'linked_chain'
  | 'shown_address'
  | 'scopes'
  | 'signs_in_since'
  | 'account_name'
  | 'signer_checked_at';
/** The columns of a new link; the others have a default. */
type NewWalletRow = Omit<WalletRow, WithDefault> & Partial<Pick<WalletRow, WithDefault>>;
type WalletTable = Omit<WalletRow, WithDefault> & {
  [Column in WithDefault]: Generated<WalletRow[Column]>;
};

declare module '@latchkey/db/tables' {
  interface Tables {
    wallet_connections: WalletTable;
  }
}

/** An account that a wallet can sign in to. */
export interface SignInAccount {
  userId: string;
  platform: string;
  name?: string;
  scopes: readonly string[];
}

/** Returns the accounts whose owners let this wallet sign in. */
export async function accountsOfWallet(db: Database, address: string): Promise<SignInAccount[]> {
  const rows = await db.system
    .selectFrom('wallet_connections')
    .select(['user_id', 'platform', 'user_name', 'scopes'])
    .where('namespace', '=', 'evm')
    .where('address', '=', address)
    .where('contract_chain', 'is', null)
    .where('signs_in_since', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(20)
    .execute();
  return rows.map(({ user_id, platform, user_name, scopes }) => ({
    userId: user_id,
    platform,
    ...(user_name !== null && { name: user_name }),
    scopes,
  }));
}

/** Sets whether a linked wallet can sign in. Returns undefined if the user has no such wallet. */
export function setSignsInSince(
  tx: Tx,
  userId: string,
  id: string,
  change: { since: Date; scopes: readonly string[] } | undefined,
): Promise<WalletRow | undefined> {
  return tx
    .updateTable('wallet_connections')
    .set({ signs_in_since: change?.since ?? null, ...(change !== undefined && { scopes: [...change.scopes] }) })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export function findWallet(sql: Sql, userId: string, id: string): Promise<WalletRow | undefined> {
  return sql
    .selectFrom('wallet_connections')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function isLinkedTo(db: Sql, userId: string, address: string): Promise<boolean> {
  const row = await db
    .selectFrom('wallet_connections')
    .select('id')
    .where('namespace', '=', 'evm')
    .where('user_id', '=', userId)
    .where('address', '=', address)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns those of the addresses that no user has linked, as given and in lower case. */
export async function selectUnlinked(tx: Tx, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await raw<{ address: string }>`
    select distinct address from wallet_connections where address = any(${[...addresses]}::text[])`.execute(tx);
  const linked = new Set(rows.map((row) => row.address));
  const unlinked = addresses.filter((address) => !linked.has(address));
  return [...new Set(unlinked.flatMap((address) => [address, address.toLowerCase()]))];
}

/** Makes concurrent attempts to link this wallet wait until the transaction ends. */
export async function lockWallet(tx: Tx, namespace: string, address: string): Promise<void> {
  await raw`select pg_advisory_xact_lock(hashtextextended(${`wallet:${namespace}:${address}`}, 0))`.execute(tx);
}

export async function insertWallet(tx: Sql, wallet: NewWalletRow): Promise<boolean> {
  const row = await tx
    .insertInto('wallet_connections')
    .values(wallet)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists the links of a user to these addresses; a contract may have one on each chain. */
export function selectLinks(tx: Tx, userId: string, addresses: readonly string[]): Promise<WalletRow[]> {
  return tx
    .selectFrom('wallet_connections')
    .selectAll()
    .where('user_id', '=', userId)
    .where('address', '=', (eb) => eb.fn.any(eb.val([...addresses])))
    .where('namespace', 'not in', serviceNamespaces)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Finds the existing link that a new one would duplicate. */
export function findSameLink(
  tx: Tx,
  {
    user_id,
    namespace,
    address,
    contract_chain,
  }: Pick<WalletRow, 'user_id' | 'namespace' | 'address' | 'contract_chain'>,
): Promise<WalletRow | undefined> {
  return tx
    .selectFrom('wallet_connections')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('namespace', '=', namespace)
    .where('address', '=', address)
    .where('contract_chain', 'is not distinct from', contract_chain)
    .executeTakeFirst();
}

/** Stores the notation in which a linked wallet was proven again. */
export async function setShownAs(
  tx: Tx,
  { id, linked_chain, shown_address }: Pick<WalletRow, 'id' | 'linked_chain' | 'shown_address'>,
): Promise<void> {
  await tx.updateTable('wallet_connections').set({ linked_chain, shown_address }).where('id', '=', id).execute();
}

export async function deleteLink(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('wallet_connections').where('id', '=', id).execute();
}

export function selectWallets(
  sql: Sql,
  userId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<WalletRow[]> {
  const [createdAt, id] = after ?? [];
  return sql
    .selectFrom('wallet_connections')
    .selectAll()
    .where('user_id', '=', userId)
    .where('namespace', 'not in', serviceNamespaces)
    .$if(createdAt !== undefined, (query) =>
      query.where(raw<boolean>`(created_at, id) > (${createdAt}::timestamptz, ${id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Deletes a user's wallets: one address in any notation, or all. Returns how many there were. */
export async function deleteWalletRows(tx: Tx, userId: string, address: string | undefined): Promise<number> {
  const result = await tx
    .deleteFrom('wallet_connections')
    .where('user_id', '=', userId)
    .where('namespace', 'not in', serviceNamespaces)
    .$if(address !== undefined, (query) => query.where('address', '=', address ?? ''))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export function selectUsersSharingWallets(sql: Sql, userId: string): Promise<{ user_id: string }[]> {
  return sharedLinks(sql, userId).select('theirs.user_id').distinct().orderBy('theirs.user_id').limit(1000).execute();
}

/** Lists the wallets of a user that other users have linked as well. */
export function selectSharedWallets(sql: Sql, userId: string): Promise<{ user_id: string; address: string }[]> {
  return sharedLinks(sql, userId)
    .select(['theirs.user_id', 'theirs.address'])
    .orderBy('theirs.user_id')
    .orderBy('theirs.address')
    .limit(1000)
    .execute();
}

function sharedLinks(sql: Sql, userId: string) {
  return sql
    .selectFrom('wallet_connections as mine')
    .innerJoin('wallet_connections as theirs', (join) =>
      join
        .onRef('theirs.namespace', '=', 'mine.namespace')
        .onRef('theirs.address', '=', 'mine.address')
        .on((eb) => eb('theirs.contract_chain', 'is not distinct from', eb.ref('mine.contract_chain'))),
    )
    .where('mine.user_id', '=', userId)
    .where('mine.namespace', 'not in', serviceNamespaces)
    .where('theirs.user_id', '!=', userId);
}

/** Returns when the user linked the oldest of their current wallets. */
export async function findFirstLink(sql: Sql, userId: string): Promise<Date | undefined> {
  const row = await sql
    .selectFrom('wallet_connections')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('namespace', 'not in', serviceNamespaces)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}
