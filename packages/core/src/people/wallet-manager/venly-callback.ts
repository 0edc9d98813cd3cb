import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { askToSign } from './ask-to-sign.ts';
import type { VenlyWalletConnectionRequest, WalletConnectionResponse } from './connection.ts';
import { checkWalletType, readClaim } from './read-claim.ts';
import { requestUser, userOfChallenge, userOfLink } from './request-user.ts';

/**
 * Takes note of the wallet that somebody chose at Venly and says what that wallet is to sign. The body has no signature,
 * so it can prove nothing by itself: whoever calls could name any address.
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
