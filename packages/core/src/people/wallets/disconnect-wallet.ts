import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { disconnectFromCommunity } from './communities-of-link.ts';
import { isConnectedTo } from './community-queries.ts';
import { lockWallet, selectLinks } from './queries.ts';
import { spellingsOf } from './unlink-wallets.ts';
import type { WalletsChanged } from './wallets-changed.ts';

/**
 * Disconnects one of the caller's wallets from one community. Everywhere else it stays as it is. From a community that the
 * caller does not know any more, only a connection that was made by name can be ended.
 */
export async function disconnectWalletFrom(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin' | 'random' | 'wallets'>,
  { address, communityId, isKnown }: { address: string; communityId: string; isKnown: boolean },
  changed: WalletsChanged,
): Promise<void> {
  const spellings = [...new Set([address, ...spellingsOf(ctx, address)])];
  await ctx.db.transaction('system', async (tx) => {
    let disconnected = 0;
    for (const link of await selectLinks(tx, principalId(ctx.actor), spellings)) {
      if (!isKnown && !(await isConnectedTo(tx, link.id, communityId))) continue;
      await lockWallet(tx, link.namespace, link.address);
      if (await disconnectFromCommunity(ctx, tx, { link, communityId }, changed)) disconnected += 1;
    }
    if (disconnected === 0) throw notFound('wallet connection');
  });
}
