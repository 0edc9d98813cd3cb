import { type Feed, principalId } from '@latchkey/kernel';
import { getCommunity } from '../../communities/community-records/index.ts';
import { type Announcement, announcementsFor, type LiveEvent } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';

export const mostSeconds = 60 * 60;

interface WatchRequest {
  seconds?: number;
  readSecondsAgo?: number;
}

export async function watchCommunity(
  ctx: Context,
  { communityId, ...request }: WatchRequest & { communityId: string },
): Promise<Feed<LiveEvent>> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  return feed(ctx, request, ({ community }) => community === id);
}

export function watchAccount(ctx: Context, request: WatchRequest): Feed<LiveEvent> {
  const userId = principalId(ctx.actor);
  return feed(ctx, request, ({ accounts = [] }) => accounts.includes(userId));
}

export function watchServer(ctx: Context, request: WatchRequest): Feed<LiveEvent> {
  return feed(ctx, request, ({ operator = false }) => operator);
}

function feed(
  ctx: Context,
  { seconds = mostSeconds, readSecondsAgo }: WatchRequest,
  wants: (announcement: Announcement) => boolean,
): Feed<LiveEvent> {
  const own = principalId(ctx.actor);
  // Every subscriber gets changes to their sessions, since their own may have ended.
  const isOwnSession = ({ changed, accounts = [] }: Announcement) => changed === 'sessions' && accounts.includes(own);
  return { ttlSeconds: seconds, ...announcementsFor(ctx, (news) => wants(news) || isOwnSession(news), readSecondsAgo) };
}
