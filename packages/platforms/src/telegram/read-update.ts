import type { TelegramEvent, TelegramPerson } from '@latchkey/core/ports';
import { T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import type { CallbackQuery, Message, Update, User } from 'grammy/types';
import { isInside, isProtected } from './member.ts';

/** The kinds of update this project reads; Telegram sends `chat_member` only to those who ask for it. */
export const wantedUpdates = [
  'message',
  'chat_join_request',
  'chat_member',
  'my_chat_member',
  'callback_query',
] as const;

const id = T.Integer({ minimum: -(2 ** 52), maximum: 2 ** 52 });
const userFields = T.Object({
  id,
  is_bot: T.Boolean(),
  first_name: text('What they call themselves.', { maxLength: 256 }),
  username: T.Optional(text('Their name.', { maxLength: 64 })),
});
const chatFields = T.Object({
  id,
  type: text('What kind of chat it is.', { maxLength: 32 }),
  title: T.Optional(text('What it is called.', { maxLength: 512 })),
});
const memberFields = T.Object({ status: text('What they are in the chat.', { maxLength: 32 }), user: userFields });
const longestText = 16_384;
// Long runs of spaces would make the pattern try each of their ends.
const longestCommand = 512;
const commandPattern = /^\/([a-z_]{1,32})(?:@(\w+))?(?:\s+(.{0,256}))?$/i;

/**
 * The fields of an update that are used. Telegram adds fields to it whenever it likes, so unknown fields pass; the limit
 * on the body bounds the whole. What Telegram calls four thousand characters gets room to grow.
 */
export const UpdateBody = T.Object({
  update_id: T.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  chat_join_request: T.Optional(T.Object({ chat: chatFields, from: userFields, user_chat_id: id })),
  chat_member: T.Optional(T.Object({ chat: chatFields, new_chat_member: memberFields, old_chat_member: memberFields })),
  my_chat_member: T.Optional(T.Object({ chat: chatFields, from: userFields, new_chat_member: memberFields })),
  callback_query: T.Optional(
    T.Object({
      id: text('The press.', { minLength: 1, maxLength: 64 }),
      from: userFields,
      message: T.Optional(T.Object({ chat: chatFields })),
      data: T.Optional(text('What the button stands for.', { maxLength: 64 })),
    }),
  ),
  message: T.Optional(
    T.Object({
      chat: chatFields,
      from: T.Optional(userFields),
      text: T.Optional(text('What was said.', { maxLength: longestText })),
      reply_to_message: T.Optional(T.Object({ from: T.Optional(userFields) })),
    }),
  ),
});

const checkUpdate = validatorOf(UpdateBody, { what: 'The update', unknownFields: 'ignore' });

/** Says in our words what an update is about; undefined for what concerns nobody. Throws for what is malformed. */
export function readUpdate(update: Update, botName: string): TelegramEvent | undefined {
  checkUpdate(update);
  if (update.chat_join_request) {
    const { chat, from, user_chat_id } = update.chat_join_request;
    return { kind: 'join-requested', chatId: String(chat.id), user: toPerson(from), replyTo: String(user_chat_id) };
  }
  if (update.chat_member) {
    const { chat, new_chat_member, old_chat_member } = update.chat_member;
    const about = { chatId: String(chat.id), user: toPerson(new_chat_member.user) };
    const isIn = isInside(new_chat_member);
    if (isIn !== isInside(old_chat_member)) return { kind: isIn ? 'joined' : 'left', ...about };
    const isAboutRights = isProtected(new_chat_member) || isProtected(old_chat_member);
    return isAboutRights ? { kind: 'rights-changed', ...about } : undefined;
  }
  if (update.my_chat_member) {
    const { chat, new_chat_member, from } = update.my_chat_member;
    if (chat.type === 'private') return undefined;
    const kind = isInside(new_chat_member) ? 'bot-added' : 'bot-removed';
    return { kind, chatId: String(chat.id), title: chat.title, user: toPerson(from) };
  }
  if (update.callback_query) return readPress(update.callback_query);
  return update.message && readMessage(update.message, botName);
}

/** Buttons of the bot that do something stand in private chats only. */
function readPress({ id, from, message, data }: CallbackQuery): TelegramEvent | undefined {
  if (message?.chat.type !== 'private' || data === undefined) return undefined;
  return { kind: 'pressed', chatId: String(message.chat.id), user: toPerson(from), data, pressId: id };
}

function readMessage(message: Message, botName: string): TelegramEvent | undefined {
  const { from, chat, sender_chat, new_chat_members, left_chat_member, text = '' } = message;
  // What a channel or an anonymous admin says stands under the name of an account that is nobody's.
  if (from === undefined || sender_chat !== undefined) return undefined;
  // Telegram's own notes of who came and went stand under their names, though they may be gone.
  if (new_chat_members !== undefined || left_chat_member !== undefined) return undefined;
  const chatId = String(chat.id);
  const user = toPerson(from);
  const isPrivate = chat.type === 'private';
  const [, command, addressee, argument = ''] = text.length > longestCommand ? [] : (commandPattern.exec(text) ?? []);
  const isOurs = addressee === undefined || addressee.toLowerCase() === botName.toLowerCase();
  if (command !== undefined && isOurs) {
    const answered = message.reply_to_message?.from;
    const replyTo = answered === undefined ? {} : { replyTo: toPerson(answered) };
    const given = { command: command.toLowerCase(), argument: argument.trim(), ...replyTo };
    return { kind: 'command', chatId, isPrivate, user, ...given };
  }
  return isPrivate ? undefined : { kind: 'spoke', chatId, user };
}

function toPerson(user: User): TelegramPerson {
  return { id: String(user.id), name: user.username ?? user.first_name, isBot: user.is_bot };
}
