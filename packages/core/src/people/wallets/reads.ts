import { type Page, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { selectConnections } from './community-queries.ts';
import { selectUsersSharingWallets } from './queries.ts';
import { toWalletConnection, type WalletConnection } from './wallet.ts';

/** Where the caller's wallets are connected, oldest first. */
export async function listWallets(ctx: Context, request: PageRequest): Promise<Page<WalletConnection>> {
  const userId = principalId(ctx.actor);
  const page = await ctx.tx((tx) =>
    paginate(ctx, request, {
      list: 'wallets',
      read: (after, limit) => selectConnections(tx, userId, after, limit),
      cursorOf: ({ connected_at, connection_id }) => [connected_at.toISOString(), connection_id],
    }),
  );
  return { ...page, items: page.items.map(toWalletConnection) };
}

/** Other accounts that hold at least one of the caller's wallets: the same person on another platform. */
export async function listUsersSharingWallets(ctx: Context): Promise<string[]> {
  const rows = await selectUsersSharingWallets(ctx.db.system, principalId(ctx.actor));
  return rows.map((row) => row.user_id);
}
