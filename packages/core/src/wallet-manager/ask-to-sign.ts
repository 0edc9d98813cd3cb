import type { Context } from '../context.ts';
import { type LinkTarget, startLink } from '../wallets/index.ts';
import { answer } from './answers.ts';
import type { WalletConnectionResponse } from './connection.ts';
import type { RequestedWallet } from './read-claim.ts';

/** Asks for a signature of a message that names the wallet, or of an open one when no wallet is named yet. */
export async function askToSign(
  user: Context,
  { namespace, chain, address, signer }: Omit<RequestedWallet, 'signature'>,
  walletType: string | undefined,
  communityId?: string,
): Promise<WalletConnectionResponse> {
  const target: LinkTarget | undefined =
    address === undefined ? undefined : { namespace, chain, address, signer, communityId };
  const { message, state } = await startLink(user, target, walletType);
  return answer('SIGNATURE_REQUIRED', { message, state, ...(address !== undefined && { address }) });
}
