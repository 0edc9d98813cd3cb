import { sql, type Tx } from '@latchkey/db';
import {
  type CommunityRow,
  deleteCommunity,
  lockCommunity,
  selectByPlatformId,
  updateCommunity,
} from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { hasRules } from '../../communities/rule-records/index.ts';
import { resumeCommunity } from '../../gating/role-changes/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';

/**
 * Adding the bot creates a community immediately, and Telegram may report the supergroup before it reports the upgrade.
 */
const replacedWithinMs = 10 * 60_000;

/**
 * Keeps the community of a group that was upgraded to a supergroup: only the chat id used with Telegram changes. The
 * qualified id stays, and with it rules, members and history. Idempotent, and ignores unknown chats.
 */
export async function followUpgrade(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'log'>,
  { chatId, newChatId }: { chatId: string; newChatId: string },
): Promise<void> {
  const found = await selectByPlatformId(ctx.db.system, 'telegram', chatId);
  if (found === undefined || chatId === newChatId) return;
  const isFollowed = await ctx.db.transaction('system', async (tx) => {
    const community = await lockCommunity(tx, found.id);
    if (community?.community_id !== chatId) return false;
    const rival = await selectByPlatformId(tx, 'telegram', newChatId);
    if (rival !== undefined && !(await replace(tx, rival, ctx.clock()))) {
      const log = ctx.log.for('telegram');
      log.warn('A Telegram group was upgraded to a supergroup that is another community. Keeping both.', {
        communityId: community.id,
        other: rival.id,
      });
      return false;
    }
    // The bot may have been reported as removed from the group before the upgrade was.
    const status = community.status === 'kicked' ? 'active' : community.status;
    await updateCommunity(tx, community.id, { community_id: newChatId, status }, ctx.clock());
    await enqueueReconcile(tx, { communityId: community.id, members: '*', cause: 'schedule' });
    await announce(tx, { changed: 'setup', community: community.id });
    return true;
  });
  if (isFollowed) await resumeCommunity(ctx, found.id);
}

/** Removes a community that was only just created for the supergroup and has no rules. Returns false for any other. */
async function replace(tx: Tx, rival: CommunityRow, now: Date): Promise<boolean> {
  if (now.getTime() - rival.created_at.getTime() > replacedWithinMs) return false;
  const { rows } = await sql<{ ruled: boolean }>`select ${hasRules(sql`${rival.id}`)} as ruled`.execute(tx);
  return rows[0]?.ruled === false && deleteCommunity(tx, rival.id);
}
