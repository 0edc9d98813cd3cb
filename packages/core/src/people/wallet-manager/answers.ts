import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { touchUser } from '../../gating/following/index.ts';
import { forgetReadings } from '../../gating/role-plans/index.ts';
import { type NewLink, saveLink, type WalletsChanged, walletAccountId } from '../wallets/index.ts';
import { type ConnectionCode, connectionCodes, type WalletConnectionResponse } from './connection.ts';
import { keepPending } from './pending.ts';

const goodCodes: readonly ConnectionCode[] = ['CONNECTED', 'ALREADY_CONNECTED', 'VERIFIED'];

export function answer(code: ConnectionCode, more: WalletConnectionResponse = {}): WalletConnectionResponse {
  return { success: goodCodes.includes(code), code, message: connectionCodes[code], ...more };
}

/** Has the roles of a user looked at once a change of wallets is committed. */
export const lookAtRoles: WalletsChanged = async (tx, userId, gone = []) => {
  await forgetReadings(tx, userId, gone);
  await touchUser(tx, userId, 'wallet');
};

/** Keeps a proven wallet for the user, or offers to move it from the account that has it. */
export async function keepProven(user: Context, link: NewLink): Promise<WalletConnectionResponse> {
  const outcome = await saveLink(user, link, lookAtRoles);
  const { address } = link;
  if (outcome === 'taken') {
    const { key } = await keepPending(user, 'reset', { link });
    return answer('WALLET_TAKEN', { address, resetToken: key });
  }
  const code = outcome === 'linked' ? 'CONNECTED' : 'ALREADY_CONNECTED';
  return answer(code, { address, connection: describe(user, link) });
}

/** Who has which wallet now. */
export function describe({ actor }: Pick<Context, 'actor'>, link: NewLink): WalletConnectionResponse['connection'] {
  const userId = principalId(actor);
  const { namespace, address, contractChain, walletType, communityId } = link;
  return {
    user: {
      platform: actor.kind === 'user' ? actor.platform : 'collabland',
      id: userId.split('#').at(-1) ?? userId,
      userPk: userId,
      ...(actor.kind === 'user' && actor.name !== undefined && { name: actor.name }),
      ...(communityId && { communityPk: communityId, communityId: communityId.split('#').slice(2).join('#') }),
    },
    address,
    accountId: walletAccountId(namespace, contractChain, address),
    ...(walletType && { walletType }),
  };
}
