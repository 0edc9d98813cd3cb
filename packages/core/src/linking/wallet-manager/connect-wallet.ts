import { hashSecret } from '@latchkey/db';
import { notFound, platformNames, principalId } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { isHeldByRival } from '../../communities/memberships/index.ts';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import {
  findLinkChallenge,
  lockWallet,
  selectLinks,
  toWalletConnection,
  type WalletConnection,
  walletAccountId,
} from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import {
  connectToCommunity,
  type NewLink,
  type ProvenWallet,
  proveWallet,
  spellingsOf,
  type VerifiedChallenge,
} from '../wallet-links/index.ts';
import { answer, askToSign, keepProven } from './answers.ts';
import type {
  ConnectedWallet,
  ConnectionCode,
  WalletConnectionRequest,
  WalletConnectionResponse,
} from './connection.ts';
import { readWalletSk, requestUser } from './connection.ts';
import { keepProvenStep } from './pending.ts';
import { findProxies, ownsSafe, type RegisteredType, readProxyType } from './proxies.ts';
import { checkWalletType, type RequestedWallet, readClaim, refusedField } from './read-claim.ts';

/** Connects a wallet: requests a signature, verifies one, or connects a linked wallet to a community. */
export async function connectWallet(
  ctx: Context,
  { body }: { body: WalletConnectionRequest },
): Promise<ConnectedWallet> {
  checkWalletType(body);
  const user = await requestUser(ctx, body.id);
  return body.walletSk ? attachWallet(user, { ...body, walletSk: body.walletSk }) : connectFor(user, body);
}

export async function connectFor(user: Context, body: WalletConnectionRequest): Promise<WalletConnectionResponse> {
  const request = await withAccountOfState(user, body);
  if (request === undefined) return answer('CHALLENGE_UNKNOWN');
  readProxyType(request);
  const wallet = readClaim(user, request);
  const { address, signature } = wallet;
  if (signature === undefined) {
    const { communityId, platform } = request;
    const community = communityId ? await getNamedCommunity(user, { communityId, platform }) : undefined;
    return askToSign(user, wallet, {
      walletType: walletTypeOf(request),
      communityId: community?.id,
      asTypedData: wantsTypedData(request),
    });
  }
  if (address === undefined) throw refusedField('/address', 'must be the wallet that signed');
  const proof = await proveWallet(user, { ...wallet, address });
  if (proof.kind === 'no-challenge') return answer('CHALLENGE_UNKNOWN', { address });
  if (proof.kind === 'refused') return answer('SIGNATURE_INVALID', { address, message: proof.reason });
  return conclude(user, request, { wallet, proven: proof.wallet, challenge: proof.challenge });
}

/** A state alone means the account in its message. Undefined if the message is unknown. */
async function withAccountOfState(
  user: Context,
  body: WalletConnectionRequest,
): Promise<WalletConnectionRequest | undefined> {
  const state = body.signInState ?? body.state;
  const isNamed = body.accountId ?? body.address ?? body.walletAddress ?? body.selectedWallet;
  if (state === undefined || isNamed) return body;
  const challenge = await findLinkChallenge(user.db.system, hashSecret(state), user.clock());
  if (challenge?.user_id !== principalId(user.actor)) return undefined;
  if (challenge.address === null) return body;
  return {
    ...body,
    accountId: `${challenge.namespace}:${challenge.chain}:${challenge.shown_address ?? challenge.address}`,
    ...(challenge.signer !== null && { gnosisSignerAddress: challenge.signer }),
  };
}

function wantsTypedData({ walletSubType }: WalletConnectionRequest): boolean {
  return walletSubType?.toLowerCase() === 'eip712';
}

function walletTypeOf(body: WalletConnectionRequest): string | undefined {
  if (body.walletType) return body.walletType;
  if (body.walletAddress !== undefined) return 'opensea';
  return body.didToken === undefined ? undefined : 'magic';
}

interface Evaluated {
  wallet: RequestedWallet;
  proven: ProvenWallet;
  challenge: VerifiedChallenge;
}

async function conclude(
  user: Context,
  body: WalletConnectionRequest,
  { wallet, proven, challenge }: Evaluated,
): Promise<WalletConnectionResponse> {
  const link: NewLink = {
    ...proven,
    walletType: walletTypeOf(body) ?? proven.walletType,
    metadata: body.metadata ?? {},
  };
  const proxyType = proven.namespace === 'evm' ? readProxyType(body) : undefined;
  if (proxyType === 'dsproxy' || proxyType === 'epsproxy')
    return offerProxies(user, body, { proxyType, chain: wallet.chain, link, challenge });
  const { signer, chain } = wallet;
  if (signer !== undefined) {
    if (!(await ownsSafe(user, proven.address, { chain, address: signer })))
      return concludeAlone(user, challenge, 'NOT_AN_OWNER', { address: proven.address });
    Object.assign(link, { contractChain: chain, signerAddress: signer });
  }
  if (proxyType === 'gnosis' && link.contractChain !== null) link.contract = `evm:${chain}/gnosis/${proven.address}`;
  return body.verifyOnly
    ? concludeAlone(user, challenge, 'VERIFIED', { address: link.address })
    : keepProven(user, link, challenge);
}

/** A result for which nothing is stored, except that the message is consumed. */
async function concludeAlone(
  user: Context,
  challenge: VerifiedChallenge,
  code: ConnectionCode,
  more: WalletConnectionResponse,
): Promise<WalletConnectionResponse> {
  return (await user.tx((tx) => challenge.useUp(tx))) ? answer(code, more) : answer('CHALLENGE_UNKNOWN', more);
}

async function offerProxies(
  user: Context,
  body: WalletConnectionRequest,
  {
    proxyType,
    chain,
    link,
    challenge,
  }: {
    proxyType: RegisteredType;
    chain: string;
    link: NewLink;
    challenge: VerifiedChallenge;
  },
): Promise<WalletConnectionResponse> {
  const signer = link.address;
  const { registry, proxies } = await findProxies(user, proxyType, { chain, address: signer }, body.proxyRegistry);
  if (proxies.length === 0) return concludeAlone(user, challenge, 'NO_PROXY', { address: signer });
  const models = [
    {
      proxyAddresses: proxies,
      proxyAccounts: proxies.map((proxy) => `evm:${chain}:${proxy}`),
      proxyType,
    },
  ];
  if (body.verifyOnly) return concludeAlone(user, challenge, 'VERIFIED', { address: signer, proxies: models });
  const contract = `evm:${chain}/${proxyType}/${registry}`;
  const links = proxies.map((address) => ({ ...link, address, contractChain: chain, signerAddress: signer, contract }));
  const pending = await keepProvenStep(user, challenge, 'proxy', { links, proxyType, signer });
  return pending === undefined
    ? answer('CHALLENGE_UNKNOWN', { address: signer })
    : answer('PROXY_REQUIRED', { address: signer, proxies: models, state: pending.key });
}

/**
 * Connects a linked wallet to one community only. For an account id that is not linked yet, or that counts for another
 * member there, requests a signature of a message that names the community.
 */
async function attachWallet(
  user: Context,
  { walletSk, communityId, platform, walletType, walletSubType }: WalletConnectionRequest & { walletSk: string },
): Promise<ConnectedWallet> {
  if (!communityId) throw refusedField('/communityId', 'must be the community to connect the wallet to');
  const community = await getNamedCommunity(user, { communityId, platform });
  const linked = await connectLinked(user, readWalletSk(walletSk).address, community.id);
  if (linked?.connection !== undefined) return linked.connection;
  const accountId = linked?.accountId ?? walletSk;
  if (accountId.includes('#') || !accountId.includes(':')) throw notFound('wallet');
  const asTypedData = walletSubType?.toLowerCase() === 'eip712';
  return askToSign(user, readClaim(user, { accountId }), { walletType, communityId: community.id, asTypedData });
}

/** Connects the caller's linked wallet; returns no connection if it counts for another member there. */
function connectLinked(
  user: Context,
  address: string,
  communityId: string,
): Promise<{ accountId: string; connection?: WalletConnection } | undefined> {
  return user.db.transaction('system', async (tx) => {
    const spellings = [...new Set([address, ...spellingsOf(user, address)])];
    const links = await selectLinks(tx, principalId(user.actor), spellings);
    const isExclusive = user.settings.allowSharedWallets !== true;
    for (const link of links) {
      await lockWallet(tx, link.namespace, link.address);
      if (isExclusive && (await isHeldByRival(tx, { ...link, community_id: communityId })))
        return { accountId: walletAccountId(link) };
    }
    let connected: { accountId: string; connection: WalletConnection } | undefined;
    for (const link of links) {
      const { connection } = await connectToCommunity(user, tx, { link, communityId }, reconcileUser);
      connected ??= { accountId: walletAccountId(link), connection: toWalletConnection(connection) };
    }
    return connected;
  });
}

/** Returns the community in a request, by its qualified id or by its platform and the platform's own id. */
async function getNamedCommunity(
  user: Pick<Context, 'tx'>,
  { communityId, platform }: { communityId: string; platform?: string | undefined },
): Promise<{ id: string }> {
  const known = platformNames.find((name) => name === platform);
  const isQualified = known === undefined || communityId.includes('#');
  const id = isQualified ? communityId : communityKey(known, communityId);
  // Runs as the user's tenant: a community that the user is not in is not found.
  const community = await user.tx((tx) => selectCommunity(tx, id));
  if (community === undefined) throw notFound('community');
  return community;
}
