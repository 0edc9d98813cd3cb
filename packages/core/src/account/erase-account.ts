import type { Context } from '../context.ts';
import { forgetSlugs } from '../states/index.ts';
import { deleteStepsOf } from '../wallet-manager/index.ts';
import { forgetWallets } from '../wallets/index.ts';
import { lookAtRoles } from './look-at-roles.ts';

/**
 * Forgets what an account has told this server: its wallets, every message and step of linking one, and its states. The
 * roles that hung on its wallets are taken once the change is committed. What its chat platform tells of it, such as
 * being a member of a community, is not the account's to erase here.
 */
export async function eraseAccount(ctx: Pick<Context, 'db'>, userId: string): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    await deleteStepsOf(tx, userId);
    await forgetSlugs(tx, userId);
    if (await forgetWallets(tx, userId)) await lookAtRoles(tx, userId);
  });
}
