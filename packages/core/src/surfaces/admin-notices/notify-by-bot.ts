import { selectAdminIds } from '../../communities/access/index.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { chatText } from '../chat-bots/index.ts';
import { type NoticeChannel, unlessRefused } from './notice-channel.ts';

const mostAdmins = 20;

/** Sends privately to each admin, through the bot of the platform. */
export const byBot: NoticeChannel = {
  send: async (ctx, { community, text, notified, keep, signal }) => {
    const { platform } = community;
    const bot = ctx.bots[platform];
    if (bot === undefined) return;
    const admins = await selectAdminIds(ctx.db.system, community.id);
    for (const { user_id: userId } of admins.slice(0, mostAdmins)) {
      const native = nativeUserId(platform, userId);
      if (native === undefined || notified.has(userId)) continue;
      await keep(userId, (await unlessRefused(() => bot.sendTo(native, chatText(text.full, bot), signal))) ?? null);
    }
  },
};
