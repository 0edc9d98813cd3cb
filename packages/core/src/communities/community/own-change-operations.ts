import { NoContent, op, shape, T, text } from '@latchkey/kernel';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import { confirmedCommunityAdmin } from '../access/index.ts';
import { getCommunity } from '../community-records/index.ts';
import { patchCommunity, removeCommunity } from './change.ts';

export const ownChangeOperations = [
  op(
    'PATCH /latchkey/communities/{communityId}',
    {
      id: 'changeOwnCommunity',
      summary: 'Rename or pause a community',
      description:
        'Changes the name of a community, or pauses it. While it is paused, no roles are granted or removed. For community admins.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      body: shape(
        T.Object({
          name: T.Optional(text('The name of the community.', { minLength: 1, maxLength: 200 })),
          isPaused: T.Optional(T.Boolean({ description: 'Whether role changes are paused.' })),
        }),
      ),
      readAt: '/communities/{communityId}',
      returns: NoContent,
    },
    changeOwnCommunity,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}',
    {
      id: 'removeOwnCommunity',
      summary: 'Remove your community',
      description:
        'Deletes a community with its rules, members and settings. Nothing changes on the chat platform: everyone keeps their roles. Requires a recent sign-in.',
      audit: 'community.delete',
      access: confirmedCommunityAdmin('communityId'),
      params: { communityId: communityParam },
      readAt: '/communities/{communityId}',
      returns: NoContent,
      errors: ['PRESENCE_REQUIRED'],
    },
    removeOwnCommunity,
  ),
] as const;

/** Renames or pauses a community. Ending a pause does not bring back a bot that was removed. */
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

/** Deletes a community. Requires a recent sign-in, so a stolen session is not enough. */
export async function removeOwnCommunity(ctx: Context, { communityId }: { communityId: string }): Promise<void> {
  if (ctx.actor.kind === 'user') requirePresence(ctx);
  await removeCommunity(ctx, { id: communityId });
}
