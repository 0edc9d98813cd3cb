import type { OauthClient } from '../../identity/client-apps/index.ts';
import { findOrganizationName } from '../../identity/organizations/index.ts';
import { isOwnAccount, selectWallets, walletAccountId } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { type LivingContext, readLivingClaims } from './living-claims.ts';
import { selectAccount, upsertAccount } from './queries.ts';

/**
 * Returns the creator of an application as shown to users: an organization, or else a user. Undefined without a name.
 */
export async function findMaker(
  ctx: Pick<Context, 'db'>,
  { organizationId, ownerId }: Pick<OauthClient, 'organizationId' | 'ownerId'>,
): Promise<string | undefined> {
  if (organizationId !== undefined) return findOrganizationName(ctx.db.system, organizationId);
  return (await findAccount(ctx, ownerId))?.name;
}

/** A user who logged in to an application. */
export interface OauthAccount {
  userId: string;
  platform: string;
  name?: string | undefined;
}

/** Stores what tokens and claims will contain about a user, from their latest login. */
export async function rememberAccount(ctx: Pick<Context, 'clock' | 'db'>, account: OauthAccount): Promise<void> {
  const { userId, platform, name } = account;
  await upsertAccount(ctx.db.system, { user_id: userId, platform, name: name ?? null, seen_at: ctx.clock() });
}

/** Undefined for a user who never signed in to an application, or was erased since. */
export async function findAccount(ctx: Pick<Context, 'db'>, userId: string): Promise<OauthAccount | undefined> {
  const row = await selectAccount(ctx.db.system, userId);
  return row && { userId: row.user_id, platform: row.platform, ...(row.name !== null && { name: row.name }) };
}

/** Returns every claim about an account that the scopes allow. */
export async function claimsOf(
  ctx: LivingContext,
  { userId, platform, name }: OauthAccount,
  scopes: readonly string[],
): Promise<Record<string, unknown>> {
  return {
    sub: userId,
    platform,
    ...(name !== undefined && { name, preferred_username: name }),
    ...(await readWalletClaims(ctx, userId, scopes)),
    ...(await readLivingClaims(ctx, userId, scopes)),
  };
}

/** A wallet in claims. */
interface WalletClaim {
  address: string;
  /** In CAIP-2 form, such as evm:1. */
  chain: string;
}

/** The wallet that an account belongs to, and all that are linked to it. */
interface WalletClaims {
  /** The form of OpenID Connect Core 5.1.1, so that clients that expect a postal address can parse it. */
  address?: { formatted: string };
  chain?: string;
  wallets?: WalletClaim[];
}

/**
 * Tokens travel in headers, so their size is limited. For users with more wallets, clients call GET /account/wallets.
 */
const maxWallets = 50;

/**
 * Returns the wallet claims that the scopes allow. `address` includes the wallet of a wallet account, which its id
 * contains anyway; linked wallets require the scope that grants them in the API too.
 */
export async function readWalletClaims(
  { db }: Pick<Context, 'db'>,
  userId: string,
  scopes: readonly string[],
): Promise<WalletClaims> {
  const listsWallets = scopes.includes('user:wallet:read');
  if (!listsWallets && !scopes.includes('address')) return {};
  const rows = await selectWallets(db.system, userId, undefined, maxWallets);
  const linkedOwn = rows.find(isOwnAccount);
  // With the chain on which it signed in.
  const own = linkedOwn === undefined ? ownWalletOf(userId) : walletAccountId(linkedOwn);
  if (!listsWallets) return mainClaims(own);
  const linked = rows.map(walletAccountId);
  const first = own === undefined || linked.includes(own) ? [] : [own];
  const accountIds = [...new Set([...first, ...linked])].slice(0, maxWallets);
  return { ...mainClaims(own ?? accountIds[0]), wallets: accountIds.map(toClaim) };
}

function mainClaims(accountId: string | undefined): WalletClaims {
  if (accountId === undefined) return {};
  const { address, chain } = toClaim(accountId);
  return { address: { formatted: address }, chain };
}

function toClaim(accountId: string): WalletClaim {
  const [, chain = '', address = ''] = /^([^:]+:[^:]+):(.+)$/.exec(accountId) ?? [];
  return { address, chain };
}

/** Returns the account id of the wallet of a wallet account: a key, or a contract on one chain. */
function ownWalletOf(userId: string): string | undefined {
  const [, contractChain = null, address] = /^ETH#USER#(?:(\d+):)?(0x[0-9a-fA-F]{40})$/.exec(userId) ?? [];
  const wallet = { namespace: 'evm', contract_chain: contractChain, linked_chain: null, shown_address: null };
  return address === undefined ? undefined : walletAccountId({ ...wallet, address });
}
