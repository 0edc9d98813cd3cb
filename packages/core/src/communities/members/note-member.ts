import type { PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { holdCommunity, selectCommunity } from '../community-records/index.ts';
import { markActive, markLeft, putMembers, selectCoHoldersIn } from '../memberships/index.ts';
import { enqueueReconcile } from '../reconcile-queue/index.ts';

/** Something a platform told about one member. Ids are the platform's own. */
export type MemberNews =
  | { kind: 'joined' | 'updated'; userName?: string; roleIds: readonly string[]; isBot?: boolean }
  | { kind: 'left' }
  | { kind: 'active' };

/**
 * Keeps what a platform's event says of a member. Somebody who joined is looked at at once, and so are those who linked the
 * same wallet as somebody who joined or left. Events of communities that
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
    await holdCommunity(tx, community.id);
    switch (news.kind) {
      case 'left':
        await markLeft(tx, community.id, [member], now);
        break;
      case 'active':
        return markActive(tx, community.id, member, now);
      default:
        await putMembers(tx, community.id, [{ ...news, userId: member }], now);
    }
    if (news.kind === 'updated' || (news.kind === 'joined' && news.isBot)) return;
    // A wallet counts for one member, so whoever linked the same one gains or loses it by this.
    const others = await selectCoHoldersIn(tx, community.id, member);
    const members = news.kind === 'joined' ? [member, ...others] : others;
    if (members.length > 0) await enqueueReconcile(tx, { communityId: community.id, members, cause: 'joined' });
  });
}
