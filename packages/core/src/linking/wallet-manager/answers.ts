import { principalId } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { findMemberNames } from '../../communities/memberships/index.ts';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import { chainShown, type LinkTarget, shownAddress, startLink, walletAccountId } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { type NewLink, saveLink, type VerifiedChallenge } from '../wallet-links/index.ts';
import { type ConnectionCode, connectionCodes, type WalletConnectionResponse } from './connection.ts';
import { keepProvenStep } from './pending.ts';
import { type RequestedWallet, refusedField } from './read-claim.ts';

const goodCodes: readonly ConnectionCode[] = ['CONNECTED', 'ALREADY_CONNECTED', 'VERIFIED'];

export function answer(code: ConnectionCode, more: WalletConnectionResponse = {}): WalletConnectionResponse {
  return { success: goodCodes.includes(code), code, message: connectionCodes[code], ...more };
}

/** Stores a proven wallet for the user, or offers to move it from the account that has it. */
export async function keepProven(
  user: Context,
  link: NewLink,
  challenge?: VerifiedChallenge,
): Promise<WalletConnectionResponse> {
  const outcome = await saveLink(user, link, reconcileUser, challenge);
  const address = shownAddress(asRow(link));
  if (outcome === 'used') return answer('CHALLENGE_UNKNOWN', { address });
  if (outcome === 'taken') {
    const pending = await keepProvenStep(user, challenge, 'reset', { link });
    return pending === undefined
      ? answer('CHALLENGE_UNKNOWN', { address })
      : answer('WALLET_TAKEN', { address, resetToken: pending.key });
  }
  const code = outcome === 'linked' ? 'CONNECTED' : 'ALREADY_CONNECTED';
  return answer(code, { address, connection: describe(user, link) });
}

/** Describes the wallet and its owner. */
export function describe({ actor }: Pick<Context, 'actor'>, link: NewLink): WalletConnectionResponse['connection'] {
  const userId = principalId(actor);
  const { walletType, communityId } = link;
  return {
    user: {
      platform: actor.kind === 'user' ? actor.platform : 'collabland',
      id: userId.split('#').at(-1) ?? userId,
      userPk: userId,
      ...(actor.kind === 'user' && actor.name !== undefined && { name: actor.name }),
      ...(communityId && { communityPk: communityId, communityId: communityId.split('#').slice(2).join('#') }),
    },
    address: shownAddress(asRow(link)),
    accountId: walletAccountId(asRow(link)),
    ...(walletType && { walletType }),
  };
}

function asRow({ namespace, address, contractChain, chain, shownAddress: shown }: NewLink) {
  return {
    namespace,
    address,
    contract_chain: contractChain,
    linked_chain: chainShown(namespace, chain ?? null),
    shown_address: shown ?? null,
  };
}

interface SigningOptions {
  walletType?: string | undefined;
  /** The community to connect the wallet to. */
  communityId?: string | undefined;
  /** EIP-712 instead of a text. */
  asTypedData?: boolean;
}

/** Requests a signature of a message that names the wallet, or of an open one if no wallet is known yet. */
export async function askToSign(
  user: Context,
  { namespace, chain, address, shownAddress, signer }: Omit<RequestedWallet, 'signature'>,
  { walletType, communityId, asTypedData = false }: SigningOptions,
): Promise<WalletConnectionResponse> {
  if (asTypedData && namespace !== 'evm') throw refusedField('/walletSubType', 'is only available for EVM wallets');
  if (asTypedData && address === undefined) throw refusedField('/address', 'must be the wallet that signs typed data');
  const userId = principalId(user.actor);
  const [community, names] = await Promise.all([
    communityId === undefined ? undefined : user.tx((tx) => selectCommunity(tx, communityId)),
    // A login through a wallet app or an application brings no name, although a community knows it.
    findMemberNames(user.db.system, [userId]),
  ]);
  const place = { communityId, communityName: community?.name };
  const target: LinkTarget | undefined =
    address === undefined ? undefined : { namespace, chain, address, shownAddress, signer, ...place, asTypedData };
  const { message, state } = await startLink(user, target, { walletType, userName: names.get(userId) });
  return answer('SIGNATURE_REQUIRED', {
    message,
    state,
    ...(address !== undefined && { address: shownAddress ?? address }),
  });
}
