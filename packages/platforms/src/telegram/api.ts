import type { TelegramAction, TelegramApi, TelegramButton, TelegramPost, TelegramWebhook } from '@latchkey/core/ports';
import type { ChatMember, InlineKeyboardMarkup, WebhookInfo } from 'grammy/types';
import type { TelegramCall } from './client.ts';
import { saysNothingToEdit, saysTooOld } from './refusals.ts';

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
    post: async (chatId, post, signal) => {
      const options = { reply_markup: keyboardOf(post), link_preview_options: noPreview };
      return String(
        (await call((api, abort) => api.sendMessage(chatId, post.text, options, abort), signal)).message_id,
      );
    },
    edit: async (chatId, messageId, post, signal) => {
      const options = { reply_markup: keyboardOf(post), link_preview_options: noPreview };
      try {
        await call((api, abort) => api.editMessageText(chatId, Number(messageId), post.text, options, abort), signal);
      } catch (error) {
        if (!saysNothingToEdit(error)) throw error;
      }
    },
    endPress: async (pressId, signal) => {
      try {
        await call((api, abort) => api.answerCallbackQuery(pressId, {}, abort), signal);
      } catch (error) {
        if (!saysTooOld(error)) throw error;
      }
    },
    readWebhook: async (signal) => viewWebhook(await call((api, abort) => api.getWebhookInfo(abort), signal)),
  };
}

function viewWebhook(info: WebhookInfo): TelegramWebhook {
  const { url = '', pending_update_count, last_error_date, last_error_message } = info;
  const failed = last_error_date !== undefined && last_error_message !== undefined;
  return {
    url: url === '' ? undefined : url,
    waiting: pending_update_count,
    ...(failed && { lastError: { message: last_error_message, at: new Date(last_error_date * 1000) } }),
  };
}

const noPreview = { is_disabled: true };

function keyboardOf({ buttons }: TelegramPost): InlineKeyboardMarkup {
  const toButton = (button: TelegramAction | TelegramButton) =>
    'url' in button ? { text: button.text, url: button.url } : { text: button.text, callback_data: button.data };
  return { inline_keyboard: buttons.map((row) => row.map(toButton)) };
}

function missingRights(bot: ChatMember): string[] {
  if (bot.status === 'creator') return [];
  if (bot.status !== 'administrator') return ['be an administrator', 'invite users', 'ban users'];
  return [...(bot.can_invite_users ? [] : ['invite users']), ...(bot.can_restrict_members ? [] : ['ban users'])];
}
