import { hashSecret } from '@latchkey/db';
import {
  type Access,
  AppError,
  alsoLimited,
  NoContent,
  notFound,
  notSetUp,
  OpenObject,
  op,
  type Page,
  pageOf,
  pageParams,
  principalId,
  record,
  resource,
  T,
  text,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import { findLinkChallenge, listWallets, WalletConnection } from '../../identity/wallets/index.ts';
import type { Marketplace } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { PageRequest } from '../../shared/paging.ts';
import { disconnectWalletFrom, moveLink, unlinkWallet } from '../wallet-links/index.ts';
import { answer, askToSign, describe, keepProven } from './answers.ts';
import { connectFor, connectWallet } from './connect-wallet.ts';
import {
  ConnectedWallet,
  connectionCodes,
  readWalletSk,
  requestUser,
  userOfChallenge,
  userOfLink,
  VenlyWalletConnectionRequest,
  WalletConnectionRequest,
  WalletConnectionResponse,
} from './connection.ts';
import { findPending, keepPending, pendingTtlSeconds, takePending } from './pending.ts';
import { checkWalletType, readAccountId, readClaim, refusedField } from './read-claim.ts';

const marketplace = text('The marketplace, for example opensea.', { minLength: 1, maxLength: 64 });
const account = text('The account on it: an address, or an account id.', { minLength: 1, maxLength: 200 });

const MarketplaceMagicCodeRequest = record('MarketplaceMagicCodeRequest', 'An account to verify by its profile.', {
  marketplace,
  account,
  id: text('An AE token of the user.', { minLength: 1, maxLength: 8192 }),
});
type MarketplaceMagicCodeRequest = ValueOf<typeof MarketplaceMagicCodeRequest>;

const MarketplaceMagicCodeResponse = record('MarketplaceMagicCodeResponse', 'The code to add to the profile.', {
  magicCode: text('The code, to add unchanged to the profile description.', { maxLength: 64 }),
  expiresAt: text('Until when it works, in ISO 8601.', { maxLength: 64 }),
});
type MarketplaceMagicCodeResponse = ValueOf<typeof MarketplaceMagicCodeResponse>;

const MarketplaceWalletRequest = record('MarketplaceWalletRequest', 'An account and its proof.', {
  marketplace,
  account,
  id: T.Optional(text('An AE token of the user; required with `proof`.', { maxLength: 8192 })),
  magicCode: T.Optional(text('The code that the profile shows.', { maxLength: 64 })),
  proof: T.Optional(text('A signature of the account instead of a code.', { maxLength: 65_536 })),
});
type MarketplaceWalletRequest = ValueOf<typeof MarketplaceWalletRequest>;

interface MarketAccount {
  name: string;
  market: Marketplace;
  /** In the canonical EVM notation. */
  address: string;
}

/** Reads the marketplace and the account of a request. Marketplace accounts are Ethereum accounts. */
function readMarketAccount(
  ctx: Pick<Context, 'marketplaces' | 'wallets'>,
  body: { marketplace: string; account: string },
): MarketAccount {
  const known = Object.keys(ctx.marketplaces);
  if (known.length === 0) throw notSetUp('No marketplace is configured on this server.');
  const name = body.marketplace.toLowerCase();
  const market = Object.hasOwn(ctx.marketplaces, name) ? ctx.marketplaces[name] : undefined;
  if (market === undefined)
    throw refusedField('/marketplace', `must be one that is configured on this server: ${known.join(', ')}`);
  const text = body.account.includes(':') ? readAccountId(body.account)?.address : body.account;
  const address = ctx.wallets.evm.normalizeAddress(text ?? '', '1');
  if (address === undefined) throw refusedField('/account', 'must be an Ethereum address');
  return { name, market, address };
}

const codeLength = 24;

/** Creates a code that proves a marketplace account once its profile shows it. */
export async function generateMagicCode(
  ctx: Context,
  { body }: { body: MarketplaceMagicCodeRequest },
): Promise<MarketplaceMagicCodeResponse> {
  const user = await requestUser(ctx, body.id);
  const { name, address } = readMarketAccount(ctx, body);
  const magicCode = `latchkey-${ctx.random.id(codeLength)}`;
  const { expiresAt } = await keepPending(user, 'magic-code', { marketplace: name, address }, magicCode);
  return { magicCode, expiresAt: expiresAt.toISOString() };
}

const minutes = pendingTtlSeconds / 60;

/** Any caller may use these, but they require a token or key of a user in the request. */
const withToken: Access = { roles: ['$anonymous', '$authenticated'], scopes: [] };

const ResumeWalletConnectionRequest = record('ResumeWalletConnectionRequest', 'Where to continue.', {
  proxyAddress: T.Optional(text('The proxy that was chosen.', { maxLength: 128 })),
  state: T.Optional(text('The state of the earlier response.', { maxLength: 64 })),
  address: T.Optional(text('The wallet that will sign, if it was not known before.', { maxLength: 128 })),
});

const codes = Object.entries(connectionCodes)
  .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
  .join(' ');

export const walletManager = resource('wallet-manager', 'Connecting wallets of every chain to accounts.', [
  op(
    'POST /wallet-manager/marketplace-magic-codes',
    {
      id: 'generateMagicCode',
      sdk: 'WalletManagerController.generateMagicCode',
      summary: 'Get a code for a marketplace profile',
      description: `Creates a code that verifies an account on a marketplace once its public profile shows it. It works once, for that account and the user of the token, and expires after ${minutes} minutes.`,
      access: withToken,
      body: MarketplaceMagicCodeRequest,
      returns: MarketplaceMagicCodeResponse,
    },
    generateMagicCode,
  ),
  op(
    'POST /wallet-manager/marketplace-wallet-connections',
    {
      id: 'connectMarketplaceWallet',
      sdk: 'WalletManagerController.connectMarketplaceWallet',
      summary: 'Connect a marketplace profile’s wallet',
      description:
        'Reads the public profile of the account and connects it if the profile shows the code. With `proof` instead of a code, the account signs a message of PUT /wallet-manager/wallet-connections.',
      access: withToken,
      body: MarketplaceWalletRequest,
      returns: WalletConnectionResponse,
    },
    connectMarketplaceWallet,
  ),
  op(
    'POST /wallet-manager/reset-wallets/{resetToken}',
    {
      id: 'resetWallets',
      sdk: 'WalletManagerController.resetWallets',
      summary: 'Move a wallet to this account',
      description: `Removes a wallet from the other accounts that have linked it and connects it to the account that has just verified it: in one community if the wallet is connected to that community only, otherwise in all of them. The token of a WALLET_TAKEN response works once and expires after ${minutes} minutes. The roles of both accounts are re-checked.`,
      access: withToken,
      params: { resetToken: T.String({ description: 'The resetToken of the response.', minLength: 1, maxLength: 64 }) },
      returns: OpenObject,
      errors: ['ENTITY_NOT_FOUND'],
    },
    resetWallets,
  ),
  op(
    'POST /wallet-manager/wallet-connections/resume',
    {
      id: 'resumeWalletConnection',
      sdk: 'WalletManagerController.resumeWalletConnection',
      summary: 'Continue connecting a wallet',
      description:
        'Continues from a response with a state, even after a server restart: returns the message to sign again, creates one for the chosen wallet, or connects the chosen proxy.',
      access: withToken,
      body: ResumeWalletConnectionRequest,
      returns: WalletConnectionResponse,
      errors: ['ENTITY_NOT_FOUND'],
    },
    resumeWalletConnection,
  ),
  op(
    'DELETE /wallet-manager/wallet-connections/{walletSk}',
    {
      id: 'disconnectWallet',
      sdk: 'WalletManagerController.disconnectWallet',
      summary: 'Disconnect a wallet',
      description:
        'Disconnects a wallet of the user of the token, or of the Authorization header. With the sk of a connection to a community (`WALLET#<community>#<address>`) it leaves that community only, and only the roles there are re-checked. Without a community, the wallet is unlinked from the account and so from every community, like with DELETE /account/wallets/{address}. Roles that depend only on it are removed.',
      access: withToken,
      params: {
        walletSk: T.String({
          description: 'The sk, address or account id of the wallet.',
          minLength: 1,
          maxLength: 256,
        }),
        id: T.Optional(T.String({ description: 'An AE token of the user.', minLength: 1, maxLength: 8192 })),
      },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    disconnectWallet,
  ),
  op(
    'PUT /wallet-manager/wallet-connections',
    {
      id: 'connectWallet',
      sdk: 'WalletManagerController.connectWallet',
      summary: 'Connect a wallet',
      description: `Connects a wallet to the user of the token in \`id\`. Send it without a signature first: the response contains a state and the complete message to sign (CAIP-122; EIP-4361 on EVM chains), which names the site, the account, the chain and the user. Then send the signature. Wallets with a key can also sign the message of GET /account/auth-message. Every message works once and expires after ${minutes} minutes; without \`message\` and state, the newest matching one is used. Contract wallets (ERC-1271, ERC-6492, Safe) are identified by their chain, and need a message that names them; with \`gnosisSignerAddress\`, an owner signs for a Safe. With \`walletSubType\` eip712, the message is typed data (EIP-712), as the JSON that eth_signTypedData_v4 accepts. With \`proxyType\` dsproxy or epsproxy, the signer controls the accounts that the registry of MakerDAO or EPS lists, and chooses one with the resume operation. NEAR wallets sign with NEP-413: the nonce is the SHA-256 of the message, unless the response contains another, and the recipient is the host of this server. With \`communityId\`, the wallet is connected to that community only; without it, to every community of the user. With \`walletSk\` and \`communityId\`, a linked wallet is connected to one more community, without a signature. The codes: ${codes}`,
      access: withToken,
      body: WalletConnectionRequest,
      returns: ConnectedWallet,
      errors: ['ENTITY_NOT_FOUND'],
    },
    connectWallet,
  ),
  op(
    'GET /wallet-manager/wallet-connections',
    {
      id: 'getWalletConnections',
      sdk: 'WalletManagerController.getWallets',
      summary: 'List connected wallets',
      description:
        'Returns the wallets of the signed-in user, oldest first: one item for each community that a wallet is connected to, and one without a community for a wallet that is connected everywhere.',
      access: alsoLimited(user(), { scopes: ['user:wallet:read'] }),
      paginated: 'token',
      params: pageParams,
      returns: pageOf(WalletConnection, 'WalletConnectionPage'),
    },
    getWalletConnections,
  ),
]);

/** Part of the EVM resource, where existing clients expect it. */
export const venlyOperation = op(
  'POST /evm/venly/callback',
  {
    id: 'venlyCallback',
    sdk: 'EthereumWalletConnectionVenlyController.callback',
    summary: 'Get the message for a Venly wallet',
    description:
      'Takes the wallet that the user chose at Venly and returns the message for that wallet to sign. It does not connect the wallet, because the body has no signature. Send Venly’s signing response, {type: HEX_SIGNATURE, signature}, as JSON in `signature` of PUT /wallet-manager/wallet-connections.',
    access: withToken,
    body: VenlyWalletConnectionRequest,
    returns: WalletConnectionResponse,
    errors: ['ENTITY_NOT_FOUND'],
  },
  venlyCallback,
);

/** Lists the caller's wallets, oldest first. */
export async function getWalletConnections(ctx: Context, request: PageRequest): Promise<Page<WalletConnection>> {
  return listWallets(await requestUser(ctx, undefined, 'user:wallet:read'), request);
}

/** Moves a wallet to the account that has just proven it, from the conflicting accounts. */
export async function resetWallets(
  ctx: Context,
  { resetToken }: { resetToken: string },
): Promise<Record<string, unknown>> {
  const pending = await takePending(ctx, 'reset', resetToken);
  if (pending === undefined) throw notFound('reset token');
  const { user, content } = pending;
  const movedFrom = await moveLink(user, content.link, reconcileUser);
  return { success: true, address: content.link.address, movedFrom, connection: describe(user, content.link) };
}

/** Disconnects a wallet from the community in its sk; without one, the wallet is unlinked everywhere. */
export async function disconnectWallet(
  ctx: Context,
  { walletSk, id }: { walletSk: string; id?: string | undefined },
): Promise<void> {
  const user = await requestUser(ctx, id);
  const { address, communityId } = readWalletSk(walletSk);
  if (communityId === undefined) return unlinkWallet(user, address, reconcileUser);
  // Runs as the user's tenant: a community that the user is not in is not found.
  const known = await user.tx((tx) => selectCommunity(tx, communityId));
  const isKnown = known !== undefined;
  await disconnectWalletFrom(user, { address, communityId: known?.id ?? communityId, isKnown }, reconcileUser);
}

/**
 * Records the wallet that a user chose at Venly and returns the message for it to sign. The body has no signature, so
 * it proves nothing: the caller could send any address.
 */
export async function venlyCallback(
  ctx: Context,
  { body }: { body: VenlyWalletConnectionRequest },
): Promise<WalletConnectionResponse> {
  const user = await userOf(ctx, body);
  checkWalletType(body);
  const { accountId, address, selectedWallet, network } = body;
  const chosen = selectedWallet || address;
  const wallet = readClaim(user, {
    ...(accountId && { accountId }),
    ...(chosen && { address: chosen }),
    ...(network && { network }),
    walletType: 'venly',
  });
  return askToSign(user, wallet, { walletType: 'venly' });
}

async function userOf(ctx: Context, { id, state }: VenlyWalletConnectionRequest): Promise<Context> {
  if (id || !state) return requestUser(ctx, id);
  const user = (await userOfChallenge(ctx, state)) ?? (await userOfLink(ctx, state));
  if (user === undefined) throw notFound('wallet connection');
  return user;
}

/** Connects a marketplace account whose public profile shows the code, or which signs. */
export async function connectMarketplaceWallet(
  ctx: Context,
  { body }: { body: MarketplaceWalletRequest },
): Promise<WalletConnectionResponse> {
  const { name, market, address } = readMarketAccount(ctx, body);
  if (body.proof)
    return connectFor(await requestUser(ctx, body.id), { address, signature: body.proof, walletType: name });
  if (!body.magicCode) throw refusedField('/magicCode', 'must be the code that the profile shows');
  const pending = await findPending(ctx, 'magic-code', body.magicCode);
  const isMeant = pending?.content.marketplace === name && pending.content.address === address;
  if (pending === undefined || !isMeant || !(await isFor(ctx, body.id, pending.user)))
    return answer('CHALLENGE_UNKNOWN', { address });
  const profile = await market.readProfile(address);
  if (profile.kind === 'unknown')
    throw new AppError('UNAVAILABLE', `${profile.reason} Try again shortly; the code is still valid.`, {
      retryAfterSeconds: 5,
    });
  if (profile.kind === 'none' || !profile.text.includes(body.magicCode)) return answer('CODE_NOT_FOUND', { address });
  const taken = await takePending(ctx, 'magic-code', body.magicCode);
  if (taken === undefined) return answer('CHALLENGE_UNKNOWN', { address });
  return keepProven(taken.user, { namespace: 'evm', address, contractChain: null, walletType: name });
}

/**
 * A code is for the user who requested it. Another reader of the profile cannot connect the account to a different
 * user.
 */
async function isFor(ctx: Context, token: string | undefined, owner: Context): Promise<boolean> {
  if (token === undefined && ctx.actor.kind === 'anonymous') return true;
  return principalId((await requestUser(ctx, token)).actor) === principalId(owner.actor);
}

interface Resume {
  proxyAddress?: string | undefined;
  state?: string | undefined;
  address?: string | undefined;
}

/** Continues from an earlier response: shows its message again, or stores the proxy that was chosen. */
export async function resumeWalletConnection(
  ctx: Context,
  { body }: { body: Resume },
): Promise<WalletConnectionResponse> {
  if (!body.state) throw refusedField('/state', 'must be the state of an earlier response');
  return (await resumeSigning(ctx, body.state, body)) ?? (await resumeChoosing(ctx, body.state, body));
}

async function resumeSigning(ctx: Context, state: string, body: Resume): Promise<WalletConnectionResponse | undefined> {
  const challenge = await findLinkChallenge(ctx.db.system, hashSecret(state), ctx.clock());
  const user = await userOfChallenge(ctx, state);
  if (challenge === undefined || user === undefined) return undefined;
  const { message, address } = challenge;
  if (address === null && body.address)
    return askToSign(user, readClaim(user, { address: body.address }), {
      walletType: challenge.wallet_type ?? undefined,
    });
  return answer('SIGNATURE_REQUIRED', { message, state, ...(address !== null && { address }) });
}

async function resumeChoosing(ctx: Context, state: string, body: Resume): Promise<WalletConnectionResponse> {
  const found = await findPending(ctx, 'proxy', state);
  if (found === undefined) throw notFound('wallet connection');
  const { links, proxyType, signer } = found.content;
  const wanted = (body.proxyAddress ?? body.address)?.toLowerCase();
  if (wanted === undefined) {
    const proxyAddresses = links.map(({ address }) => address);
    return answer('PROXY_REQUIRED', { address: signer, state, proxies: [{ proxyAddresses, proxyType }] });
  }
  const link = links.find(({ address }) => address.toLowerCase() === wanted);
  if (link === undefined) throw refusedField('/proxyAddress', 'must be one of the proxies that were offered');
  const taken = await takePending(ctx, 'proxy', state);
  if (taken === undefined) throw notFound('wallet connection');
  return keepProven(taken.user, link);
}
