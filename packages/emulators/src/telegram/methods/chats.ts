import { type Call, chatOf, type Method } from '../call.ts';
import { badRequest } from '../errors.ts';
import { type Chat, permissions } from '../types.ts';
import { viewChat, viewMessage, viewUser } from '../views.ts';
import type { World } from '../world.ts';

export const chatMethods: Readonly<Record<string, Method>> = {
  getMe: ({ bot }) => ({
    ...viewUser(bot.user),
    can_join_groups: true,
    can_read_all_group_messages: !bot.hasPrivacy,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: bot.canGuard,
  }),
  getChat: (call) => {
    const chat = chatOf(call);
    const link = chat.links.values().find(({ isPrimary, isRevoked }) => isPrimary && !isRevoked);
    const pinned = chat.messages.get(chat.pinned.at(-1) ?? 0);
    const guard = chat.guardId === undefined ? undefined : call.world.users.get(chat.guardId);
    const isAdministrator = call.world.isAdministrator(chat, call.bot.user.id);
    return {
      ...viewChat(chat),
      accent_color_id: 0,
      max_reaction_count: 11,
      accepted_gift_types: {
        unlimited_gifts: false,
        limited_gifts: false,
        unique_gifts: false,
        premium_subscription: false,
      },
      ...(chat.type === 'private' ? {} : { permissions: Object.fromEntries(permissions.map((name) => [name, true])) }),
      ...(isAdministrator && link ? { invite_link: link.url } : {}),
      ...(isAdministrator && guard ? { guard_bot: viewUser(guard) } : {}),
      ...(chat.linkedId === undefined ? {} : { linked_chat_id: chat.linkedId }),
      ...(chat.photo === undefined ? {} : { photo: viewPhoto(chat.photo) }),
      ...(pinned === undefined ? {} : { pinned_message: viewMessage(pinned) }),
    };
  },
  getFile: (call) => {
    const fileId = call.params.text('file_id') ?? '';
    const photo = photoOf(call.world, fileId);
    if (photo === undefined) throw badRequest('invalid file_id');
    return {
      file_id: fileId,
      file_unique_id: photo.uniqueId,
      file_size: photo.bytes.length,
      file_path: `photos/${fileId}.jpg`,
    };
  },
  setMyCommands: (call) => {
    const commands = call.params.object('commands');
    if (!Array.isArray(commands)) throw badRequest("can't parse BotCommand");
    for (const { command = '', description = '' } of commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(String(command))) throw badRequest('BOT_COMMAND_INVALID');
      if (String(description).length === 0) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
    }
    call.bot.commands.set(scopeOf(call), commands);
    return true;
  },
  getMyCommands: (call) => call.bot.commands.get(scopeOf(call)) ?? [],
  deleteMyCommands: (call) => {
    call.bot.commands.delete(scopeOf(call));
    return true;
  },
};

type Photo = NonNullable<Chat['photo']>;

/** Telegram has two sizes; the small one is 160 pixels wide. Here both are the same bytes. */
function viewPhoto({ uniqueId }: Photo) {
  return {
    small_file_id: `small-${uniqueId}`,
    small_file_unique_id: `s${uniqueId}`,
    big_file_id: `big-${uniqueId}`,
    big_file_unique_id: `b${uniqueId}`,
  };
}

export function photoOf(world: World, fileId: string): Photo | undefined {
  const [, size = '', id] = /^(small|big)-(\w+)$/.exec(fileId) ?? [];
  const found = world.chats.values().find(({ photo }) => photo !== undefined && photo.uniqueId === id);
  return found?.photo && { ...found.photo, uniqueId: `${size[0]}${id}` };
}

/** Commands are stored by scope and language. */
function scopeOf({ params }: Call): string {
  const scope = params.object('scope') ?? { type: 'default' };
  return `${JSON.stringify(scope)} ${params.text('language_code') ?? ''}`;
}
