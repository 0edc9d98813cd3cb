import { selectAdminIds } from '../../communities/access/index.ts';
import { adminMessages } from '../../shared/messages/index.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { telegramPost } from '../telegram/index.ts';
import type { Edit, NoticeChannel } from './notice-channel.ts';
import { unlessRefused } from './notice-channel.ts';

const mostAdmins = 20;
const inChat = 'chat';

const edit: Edit = async ({ telegram }, _community, { recipient, messageId }, { full, short }, signal) => {
  const [chatId = '', id = ''] = messageId.split('/');
  const post = recipient === inChat ? { text: short.text, buttons: [] } : telegramPost(full);
  await unlessRefused(async () => telegram?.edit(chatId, id, post, signal));
};

/**
 * Sends privately to each admin who has started the bot, since Telegram does not let it write to others. If there is
 * none, a message in the chat says that something is waiting, without names.
 */
export const byTelegram: NoticeChannel = {
  send: async (ctx, { community, text, notified, keep, signal }) => {
    const { telegram } = ctx;
    if (telegram === undefined || notified.has(inChat)) return;
    const admins = (await selectAdminIds(ctx.db.system, community.id)).map(({ user_id }) => user_id);
    for (const userId of admins.slice(0, mostAdmins)) {
      const native = nativeUserId('telegram', userId);
      if (native === undefined || notified.has(userId)) continue;
      const messageId = await unlessRefused(() => telegram.post(native, telegramPost(text.full), signal));
      await keep(userId, messageId === undefined ? null : `${native}/${messageId}`);
    }
    if (admins.some((userId) => typeof notified.get(userId) === 'string')) return;
    const url = `https://t.me/${await telegram.botName(signal)}?start=changes`;
    const words = `${text.short.text} Admins: open a chat with the bot to approve or reject.`;
    const post = { text: words, buttons: [[{ text: adminMessages('telegram.openBot'), url }]] };
    const messageId = await unlessRefused(() => telegram.post(community.community_id, post, signal));
    await keep(inChat, messageId === undefined ? null : `${community.community_id}/${messageId}`);
  },
  close: edit,
  update: edit,
};
