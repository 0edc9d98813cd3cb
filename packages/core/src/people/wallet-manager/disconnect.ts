import type { Context } from '../../context.ts';
import { unlinkWallet } from '../wallets/index.ts';
import { lookAtRoles } from './answers.ts';
import { requestUser } from './request-user.ts';
import { addressOfSk } from './wallet-sk.ts';

/** Takes a wallet from the user, in every community. */
export async function disconnectWallet(
  ctx: Context,
  { walletSk, id }: { walletSk: string; id?: string | undefined },
): Promise<void> {
  await unlinkWallet(await requestUser(ctx, id), addressOfSk(walletSk), lookAtRoles);
}
