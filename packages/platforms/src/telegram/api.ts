import type { TelegramApi } from '@latchkey/core/ports';
import type { ChatMember } from 'grammy/types';
import type { TelegramCall } from './client.ts';

/** What features ask of Telegram beyond roles. */
export function createTelegramApi(call: TelegramCall): TelegramApi {
  return {
    botName: async (signal) => (await call((api, abort) => api.getMe(abort), signal)).username,
    missingRights: async (chatId, signal) => {
      const me = await call((api, abort) => api.getMe(abort), signal);
      return missingRights(await call((api, abort) => api.getChatMember(chatId, me.id, abort), signal));
    },
    createInvite: async (chatId, { name, expiresAt }, signal) => {
      const expire_date = Math.floor(expiresAt.getTime() / 1000);
      const options = { name: name.slice(0, 32), expire_date, member_limit: 1 };
      return (await call((api, abort) => api.createChatInviteLink(chatId, options, abort), signal)).invite_link;
    },
    send: async (chatId, text, button, signal) => {
      const reply_markup = button && { inline_keyboard: [[{ text: button.text, url: button.url }]] };
      await call((api, abort) => api.sendMessage(chatId, text, reply_markup ? { reply_markup } : {}, abort), signal);
    },
  };
}

function missingRights(bot: ChatMember): string[] {
  if (bot.status === 'creator') return [];
  if (bot.status !== 'administrator') return ['be an administrator', 'invite users', 'ban users'];
  return [...(bot.can_invite_users ? [] : ['invite users']), ...(bot.can_restrict_members ? [] : ['ban users'])];
}
