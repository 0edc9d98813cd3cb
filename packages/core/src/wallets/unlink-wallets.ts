import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { deleteWalletRows } from './queries.ts';
import type { WalletsChanged } from './wallets-changed.ts';

/** Takes one wallet from the caller's account, in any spelling its chain allows. */
export async function unlinkWallet(ctx: Context, address: string, changed: WalletsChanged): Promise<void> {
  const userId = principalId(ctx.actor);
  const spellings = new Set([
    address,
    ...Object.values(ctx.wallets).flatMap((wallets) => wallets.normalizeAddress(address, defaultChain) ?? []),
  ]);
  await ctx.db.transaction('system', async (tx) => {
    let removed = 0;
    for (const spelling of spellings) removed += await deleteWalletRows(tx, userId, spelling);
    if (removed === 0) throw notFound('wallet');
    await changed(tx, userId);
  });
}

// Spelling does not depend on the chain within a namespace, but the port wants one.
const defaultChain = '1';

/** Takes every wallet from the caller's account. */
export async function unlinkAllWallets(ctx: Context, changed: WalletsChanged): Promise<void> {
  const userId = principalId(ctx.actor);
  await ctx.db.transaction('system', async (tx) => {
    if ((await deleteWalletRows(tx, userId, undefined)) > 0) await changed(tx, userId);
  });
}
