import { principalId } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { findMemberNames } from '../../communities/memberships/index.ts';
import { type LinkTarget, startLink } from '../../identity/wallets/index.ts';
import type { Context } from '../../shared/context.ts';
import { answer } from './answers.ts';
import type { WalletConnectionResponse } from './connection.ts';
import { type RequestedWallet, refusedField } from './read-claim.ts';

export interface SigningWish {
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
  { walletType, communityId, asTypedData = false }: SigningWish,
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
