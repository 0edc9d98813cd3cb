import { baseOf } from '@latchkey/adapter-kit';
import type {
  RoleHost,
  TelegramAction,
  TelegramApi,
  TelegramButton,
  TelegramLinkedChat,
  TelegramPost,
  TelegramWebhook,
} from '@latchkey/core/ports';
import type { Log } from '@latchkey/kernel';
import type { Api } from 'grammy';
import type { ChatMember, InlineKeyboardMarkup, WebhookInfo } from 'grammy/types';
import { downloadPicture } from '../pictures/download.ts';
import { createTelegramClient, type TelegramCall, type TelegramOptions } from './client.ts';
import { type ChatRecords, createGuardApi } from './guard.ts';
import { createTelegramHost } from './host.ts';
import { readInitData } from './init-data.ts';
import { createMemberLister, type MemberListerOptions } from './mtproto/member-lister.ts';
import { saysGone, saysSameAlready, saysTooOld, TelegramRefused } from './refusals.ts';
import { createWhisper } from './whisper.ts';

export interface Telegram {
  host: RoleHost;
  api: TelegramApi;
}

/** Creates Telegram with one bot. All of its requests go through the same rate limits. */
export function createTelegram(
  options: TelegramOptions,
  /** How members are listed. Without it, only members that the bot has seen are known. */
  listing?: MemberListerOptions & { log: Log },
  /** Without it, there are no queries of join requests and no tags of rules. */
  records: ChatRecords = noRecords,
): Telegram {
  const call = createTelegramClient(options);
  const lister = listing && { ...createMemberLister(options, listing), log: listing.log };
  return {
    host: {
      ...createTelegramHost(call, { clock: options.clock, records, lister }),
      readPicture: createPictureReader(call, options),
    },
    api: createTelegramApi(call, options),
  };
}

const noRecords: ChatRecords = { queries: { find: async () => undefined }, readTagRoles: async () => [] };

/** Paths of Telegram's files, such as photos/file_12.jpg. Anything else could lead to another URL. */
const plainPath = /^[\w-]+(\/[\w-]+)*(\.\w+)?$/;

/** Reads the small photo of a chat: 160 pixels, from the Bot API's files, whose URLs contain the token. */
function createPictureReader(
  call: TelegramCall,
  { apiUrl, token, fetch }: Pick<TelegramOptions, 'apiUrl' | 'token' | 'fetch'>,
): NonNullable<RoleHost['readPicture']> {
  return async (chatId, version, signal) => {
    const { photo } = await call((api, abort) => api.getChat(chatId, abort), signal);
    if (photo === undefined) return { kind: 'none' };
    if (photo.small_file_unique_id === version) return { kind: 'same' };
    const { file_path: path = '' } = await call((api, abort) => api.getFile(photo.small_file_id, abort), signal);
    const url = `${baseOf(apiUrl)}/file/bot${token}/${path}`;
    const bytes = plainPath.test(path) ? await downloadPicture(fetch, url, 'Telegram', signal) : new Uint8Array();
    return { kind: 'picture', version: photo.small_file_unique_id, bytes };
  };
}

/** Creates the Telegram calls that features need besides roles. */
function createTelegramApi(call: TelegramCall, { token }: Pick<TelegramOptions, 'token'>): TelegramApi {
  return {
    ...createGuardApi(call),
    readInitData: (initData) => readInitData(initData, token),
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
    revokeInvite: async (chatId, url, signal) => {
      await call((api, abort) => api.revokeChatInviteLink(chatId, url, abort), signal);
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
        return true;
      } catch (error) {
        if (saysGone(error)) return false;
        if (!saysSameAlready(error)) throw error;
        return true;
      }
    },
    whisper: createWhisper(call),
    readLinkedChat: (chatId, signal) => readLinkedChat(call, chatId, signal),
    pin: async (chatId, messageId, signal) => {
      const options = { disable_notification: true };
      await call((api, abort) => api.pinChatMessage(chatId, Number(messageId), options, abort), signal);
    },
    endPress: async (pressId, signal) => {
      try {
        await call((api, abort) => api.answerCallbackQuery(pressId, {}, abort), signal);
      } catch (error) {
        if (!saysTooOld(error)) throw error;
      }
    },
    setCommands: async (commands, language, signal) => {
      // The types list the codes of today; Telegram itself checks them.
      type Options = NonNullable<Parameters<Api['setMyCommands']>[1]>;
      const options = (language === undefined ? {} : { language_code: language }) as Options;
      const shown = commands.map(({ isEphemeral = false, ...command }) => ({
        ...command,
        ...(isEphemeral && { is_ephemeral: true }),
      }));
      await call((api, abort) => api.setMyCommands(shown, options, abort), signal);
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

/** The chat that a channel and its discussion group have in each other. Its name is known only if the bot is in it too. */
async function readLinkedChat(
  call: TelegramCall,
  chatId: string,
  signal?: AbortSignal,
): Promise<TelegramLinkedChat | undefined> {
  const chat = await call((api, abort) => api.getChat(chatId, abort), signal);
  if (chat.type === 'private' || chat.linked_chat_id === undefined) return undefined;
  const linked = { chatId: String(chat.linked_chat_id), isChannel: chat.type !== 'channel' };
  try {
    const other = await call((api, abort) => api.getChat(linked.chatId, abort), signal);
    return { ...linked, ...(other.title !== undefined && { title: other.title }) };
  } catch (error) {
    if (!(error instanceof TelegramRefused)) throw error;
    return linked;
  }
}

function missingRights(bot: ChatMember): string[] {
  if (bot.status === 'creator') return [];
  if (bot.status !== 'administrator') return ['be an administrator', 'invite users', 'ban users', 'manage tags'];
  return [
    ...(bot.can_invite_users ? [] : ['invite users']),
    ...(bot.can_restrict_members ? [] : ['ban users']),
    ...(bot.can_manage_tags ? [] : ['manage tags']),
  ];
}
