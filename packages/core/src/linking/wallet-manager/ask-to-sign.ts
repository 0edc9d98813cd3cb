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
  const target: LinkTarget | undefined =
    address === undefined ? undefined : { namespace, chain, address, shownAddress, signer, communityId, asTypedData };
  const { message, state } = await startLink(user, target, walletType);
  return answer('SIGNATURE_REQUIRED', {
    message,
    state,
    ...(address !== undefined && { address: shownAddress ?? address }),
  });
}
