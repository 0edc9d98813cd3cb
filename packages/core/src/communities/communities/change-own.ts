import type { Context } from '../../context.ts';
import { requirePresence } from '../../require-presence.ts';
import { patchCommunity } from './change.ts';
import { getCommunity } from './own-community.ts';
import { removeCommunity } from './remove.ts';

/** Renames or pauses a community. The end of a pause does not bring back a bot that was put out. */
export async function changeOwnCommunity(
  ctx: Pick<Context, 'clock' | 'tx'>,
  { communityId, body: { name, isPaused } }: { communityId: string; body: { name?: string; isPaused?: boolean } },
): Promise<void> {
  const { id, status } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const isNews = isPaused !== undefined && status !== 'kicked' && isPaused !== (status === 'paused');
  await patchCommunity(ctx, {
    id,
    body: { ...(name !== undefined && { name }), ...(isNews && { status: isPaused ? 'paused' : 'active' }) },
  });
}

/** Deletes a community. Whoever stole a session cannot do it. */
export async function removeOwnCommunity(ctx: Context, { communityId }: { communityId: string }): Promise<void> {
  if (ctx.actor.kind === 'user') requirePresence(ctx);
  await removeCommunity(ctx, { id: communityId });
}
