import { selectCommunity, userKey } from '../communities/index.ts';
import type { Context } from '../context.ts';
import type { PlatformName } from '../ports/index.ts';
import { touch } from '../touches/index.ts';
import { markActive, markLeft, putMembers } from './queries.ts';

/** Something a platform told about one member. Ids are the platform's own. */
export type MemberNews =
  | { kind: 'joined' | 'updated'; userName?: string; roleIds: readonly string[]; isBot?: boolean }
  | { kind: 'left' }
  | { kind: 'active' };

/**
 * Keeps what a platform's event says of a member. Somebody who joined is looked at at once. Events of communities that
 * are not known here are ignored.
 */
export async function noteMember(
  ctx: Pick<Context, 'clock' | 'db'>,
  platform: PlatformName,
  communityId: string,
  userId: string,
  news: MemberNews,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || community.platform !== platform) return;
  const member = userKey(platform, userId);
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    switch (news.kind) {
      case 'left':
        return markLeft(tx, community.id, [member], now);
      case 'active':
        return markActive(tx, community.id, member, now);
      default:
        await putMembers(tx, community.id, [{ ...news, userId: member }], now);
    }
    if (news.kind === 'joined' && !news.isBot)
      await touch(tx, { communityId: community.id, members: [member], cause: 'joined' });
  });
}
