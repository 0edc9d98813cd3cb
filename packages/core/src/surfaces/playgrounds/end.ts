import type { Actor } from '@latchkey/kernel';
import { deleteCommunity } from '../../communities/community-records/index.ts';
import { enqueueUser } from '../../gating/followers/index.ts';
import { unlinkAllWallets } from '../../linking/wallet-links/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { deletePlayground, expireAll, type PlaygroundRow, selectEnded } from './queries.ts';

const batchSize = 20;

/** Removes those whose time is up, with their communities and wallets. */
export async function removeEnded(ctx: Context, signal?: AbortSignal): Promise<void> {
  let ended: PlaygroundRow[];
  do {
    ended = await selectEnded(ctx.db.system, ctx.clock(), batchSize);
    for (const row of ended) {
      if (signal?.aborted) return;
      await endPlayground(ctx, row);
    }
  } while (ended.length === batchSize);
}

/** Removes all of them. Their guilds ended with the emulators of an earlier start. */
export async function forgetPlaygrounds(ctx: Context): Promise<void> {
  await expireAll(ctx.db.system, ctx.clock());
  await removeEnded(ctx);
}

/**
 * If interrupted, the next run continues: the row is deleted last. Its visitor and the schedule may end it at the same time, so each step
 * accepts that it was done already.
 */
async function endPlayground(ctx: Context, { key_hash, guild_id: guildId, accounts }: PlaygroundRow): Promise<void> {
  if (guildId !== null) {
    const id = communityKey('discord', guildId);
    const system = contextFor(ctx, { kind: 'system', job: 'playgrounds.remove-ended' });
    await system.tx((tx) => deleteCommunity(tx, id));
    for (const userId of accounts) {
      const member: Actor = { kind: 'user', userId, platform: 'discord', scopes: [], credential: 'operator-token' };
      await unlinkAllWallets(contextFor(ctx, member), (tx, affected) => enqueueUser(tx, affected, 'wallet'));
    }
    ctx.playgroundWorld?.close(guildId);
  }
  await deletePlayground(ctx.db.system, key_hash);
}
