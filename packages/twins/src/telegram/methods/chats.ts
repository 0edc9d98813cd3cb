import { type Call, chatOf, type Method } from '../call.ts';
import { badRequest } from '../errors.ts';
import { permissions } from '../types.ts';
import { viewChat, viewUser } from '../views.ts';

export const chatMethods: Readonly<Record<string, Method>> = {
  getMe: ({ bot }) => ({
    ...viewUser(bot.user),
    can_join_groups: true,
    can_read_all_group_messages: !bot.hasPrivacy,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  }),
  getChat: (call) => {
    const chat = chatOf(call);
    const link = chat.links.values().find(({ isPrimary, isRevoked }) => isPrimary && !isRevoked);
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

/** Commands are kept by whom they are shown to, and by language. */
function scopeOf({ params }: Call): string {
  const scope = params.object('scope') ?? { type: 'default' };
  return `${JSON.stringify(scope)} ${params.text('language_code') ?? ''}`;
}
