import { principalId } from '@latchkey/kernel';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import { chainShown, shownAddress, walletAccountId } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { type NewLink, saveLink, type VerifiedChallenge } from '../wallet-links/index.ts';
import { type ConnectionCode, connectionCodes, type WalletConnectionResponse } from './connection.ts';
import { keepProvenStep } from './pending.ts';

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
