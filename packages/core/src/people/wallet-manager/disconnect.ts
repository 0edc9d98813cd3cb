import { selectCommunity } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import { disconnectWalletFrom, unlinkWallet } from '../wallets/index.ts';
import { requestUser } from './request-user.ts';
import { readWalletSk } from './wallet-sk.ts';

/** Disconnects a wallet from the community that its sk names; named without one, the wallet is unlinked everywhere. */
export async function disconnectWallet(
  ctx: Context,
  { walletSk, id }: { walletSk: string; id?: string | undefined },
): Promise<void> {
  const user = await requestUser(ctx, id);
  const { address, communityId } = readWalletSk(walletSk);
  if (communityId === undefined) return unlinkWallet(user, address, lookAtRoles);
  // Under the user's own tenant: a community that the user is not in does not exist.
  const known = await user.tx((tx) => selectCommunity(tx, communityId));
  const isKnown = known !== undefined;
  await disconnectWalletFrom(user, { address, communityId: known?.id ?? communityId, isKnown }, lookAtRoles);
}
