import { type Fields, fieldsOf, Malformed, nameOf, textOf } from '@latchkey/adapter-kit';
import type { TelegramEvent, TelegramJoinWay, TelegramPerson } from '@latchkey/core/ports';
import { AppError, T, text } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import { idOf, isInside, isProtected, parseChatMember, parsePerson } from './member.ts';

/** The update types that are used. Telegram sends `chat_member` only on request. */
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
  first_name: text('Their display name.', { maxLength: 256 }),
  username: T.Optional(text('Their name.', { maxLength: 64 })),
  language_code: T.Optional(text('The language of their app.', { maxLength: 35 })),
});
const chatFields = T.Object({
  id,
  type: text('The chat type.', { maxLength: 32 }),
  title: T.Optional(text('The title.', { maxLength: 512 })),
});
const memberFields = T.Object({ status: text('Their status in the chat.', { maxLength: 32 }), user: userFields });
const inviteLinkFields = T.Object({
  invite_link: text('The link.', { maxLength: 256 }),
  creator: userFields,
  creates_join_request: T.Boolean(),
  name: T.Optional(text('Its name.', { maxLength: 128 })),
});
const longestText = 16_384;
// Long runs of spaces would make the pattern backtrack.
const longestCommand = 512;
const commandPattern = /^\/([a-z_]{1,32})(?:@(\w+))?(?:\s+(.{0,256}))?$/i;

/**
 * The fields of an update that are used. Telegram adds fields at any time, so unknown fields pass; the limit of the body bounds the whole.
 * Telegram's limit of four thousand characters gets room to grow.
 */
export const UpdateBody = T.Object({
  update_id: T.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  chat_join_request: T.Optional(
    T.Object({
      chat: chatFields,
      from: userFields,
      user_chat_id: id,
      query_id: T.Optional(text('The query of a guard bot.', { minLength: 1, maxLength: 128 })),
    }),
  ),
  chat_member: T.Optional(
    T.Object({
      chat: chatFields,
      from: T.Optional(userFields),
      new_chat_member: memberFields,
      old_chat_member: memberFields,
      invite_link: T.Optional(inviteLinkFields),
      via_join_request: T.Optional(T.Boolean()),
      via_chat_folder_invite_link: T.Optional(T.Boolean()),
    }),
  ),
  my_chat_member: T.Optional(T.Object({ chat: chatFields, from: userFields, new_chat_member: memberFields })),
  callback_query: T.Optional(
    T.Object({
      id: text('The press.', { minLength: 1, maxLength: 64 }),
      from: userFields,
      message: T.Optional(T.Object({ chat: chatFields })),
      data: T.Optional(text('The button’s callback data.', { maxLength: 64 })),
    }),
  ),
  message: T.Optional(
    T.Object({
      chat: chatFields,
      from: T.Optional(userFields),
      text: T.Optional(text('The message text.', { maxLength: longestText })),
      reply_to_message: T.Optional(T.Object({ from: T.Optional(userFields) })),
      migrate_to_chat_id: T.Optional(id),
      migrate_from_chat_id: T.Optional(id),
    }),
  ),
});

const checkUpdate = validatorOf(UpdateBody, { what: 'The update', unknownFields: 'ignore' });

/** Converts an update to an event; undefined for updates that are not used. Throws `Malformed`. */
export function readUpdate(update: unknown, botName: string): TelegramEvent | undefined {
  requireUpdate(update);
  const { chat_join_request, chat_member, my_chat_member, callback_query, message } = fieldsOf(update, 'an update');
  if (chat_join_request !== undefined) {
    const { chat, from, user_chat_id, query_id: query } = fieldsOf(chat_join_request, 'a request to join');
    const replyTo = idOf(user_chat_id, 'the private chat');
    const queryId = query === undefined ? {} : { queryId: nameOf(query, 'the query of a request to join') };
    return { kind: 'join-requested', chatId: chatOf(chat).id, user: parsePerson(from), replyTo, ...queryId };
  }
  if (chat_member !== undefined) {
    const change = fieldsOf(chat_member, 'a change of a member');
    const [now, before] = [parseChatMember(change.new_chat_member), parseChatMember(change.old_chat_member)];
    const about = { chatId: chatOf(change.chat).id, user: now.user };
    const isIn = isInside(now);
    if (isIn && !isInside(before)) return { kind: 'joined', ...about, ...joinWay(change, now.user, botName) };
    if (!isIn && isInside(before)) return { kind: 'left', ...about };
    return isProtected(now) || isProtected(before) ? { kind: 'rights-changed', ...about } : undefined;
  }
  if (my_chat_member !== undefined) {
    const { chat, new_chat_member, from } = fieldsOf(my_chat_member, 'a change of the bot');
    const { id: chatId, type, title } = chatOf(chat);
    if (type === 'private') return undefined;
    const kind = isInside(parseChatMember(new_chat_member)) ? 'bot-added' : 'bot-removed';
    return { kind, chatId, title: textOf(title, 'the title of a chat'), user: parsePerson(from) };
  }
  if (callback_query !== undefined) return readPress(fieldsOf(callback_query, 'a press of a button'));
  return message === undefined ? undefined : readMessage(fieldsOf(message, 'a message'), botName);
}

/** How a user came in, unless a request was approved. Telegram names the link, if one was used. */
function joinWay(change: Fields, user: TelegramPerson, botName: string): { way?: TelegramJoinWay } {
  const by = change.from === undefined ? undefined : parsePerson(change.from);
  if (change.via_join_request === true) return {};
  if (change.invite_link !== undefined) {
    const { invite_link: url, creator, creates_join_request, name } = fieldsOf(change.invite_link, 'an invite link');
    if (creates_join_request === true) return {};
    const maker = parsePerson(creator);
    const link = {
      url: textOf(url, 'an invite link'),
      isOwn: maker.isBot && maker.name.toLowerCase() === botName.toLowerCase(),
      ...(name !== undefined && { name: textOf(name, 'the name of an invite link') }),
    };
    return { way: { kind: 'link', by: maker, link } };
  }
  if (change.via_chat_folder_invite_link === true) return { way: { kind: 'folder' } };
  if (by === undefined || by.id === user.id) return { way: { kind: 'public' } };
  return { way: { kind: 'added', by } };
}

function chatOf(value: unknown): { id: string; type: string; title: unknown } {
  const { id, type, title } = fieldsOf(value, 'a chat');
  return { id: idOf(id, 'the id of a chat'), type: nameOf(type, 'the type of a chat'), title };
}

/** The bot's action buttons are only in private chats. */
function readPress({ id, from, message, data }: Fields): TelegramEvent | undefined {
  if (message === undefined || data === undefined) return undefined;
  const chat = chatOf(fieldsOf(message, 'the message of a button').chat);
  if (chat.type !== 'private') return undefined;
  const pressId = nameOf(id, 'the id of a press');
  return {
    kind: 'pressed',
    chatId: chat.id,
    user: parsePerson(from),
    data: textOf(data, 'the data of a button'),
    pressId,
  };
}

function readMessage(message: Fields, botName: string): TelegramEvent | undefined {
  const { from, sender_chat, new_chat_members, left_chat_member, text = '', reply_to_message: answered } = message;
  const { migrate_to_chat_id: newId, migrate_from_chat_id: oldId } = message;
  // Telegram posts the first field in the group and the second in the supergroup, and either may arrive first or alone.
  if (newId !== undefined) return upgraded(chatOf(message.chat).id, idOf(newId, 'the id of the supergroup'));
  if (oldId !== undefined) return upgraded(idOf(oldId, 'the id of the group'), chatOf(message.chat).id);
  // Messages of a channel or an anonymous admin have a placeholder account as sender.
  if (from === undefined || sender_chat !== undefined) return undefined;
  // Telegram's service messages about joins and leaves have the affected users as senders, who may be gone.
  if (new_chat_members !== undefined || left_chat_member !== undefined) return undefined;
  const { id: chatId, type } = chatOf(message.chat);
  const user = parsePerson(from);
  const isPrivate = type === 'private';
  const reply = textOf(text, 'the text of a message');
  const [, command, addressee, argument = ''] = reply.length > longestCommand ? [] : (commandPattern.exec(reply) ?? []);
  const isOurs = addressee === undefined || addressee.toLowerCase() === botName.toLowerCase();
  if (command !== undefined && isOurs) {
    const author = answered === undefined ? undefined : fieldsOf(answered, 'the answered message').from;
    const replyTo = author === undefined ? {} : { replyTo: parsePerson(author) };
    const given = { command: command.toLowerCase(), argument: argument.trim(), ...replyTo };
    return { kind: 'command', chatId, isPrivate, user, ...given };
  }
  return isPrivate ? undefined : { kind: 'spoke', chatId, user };
}

function upgraded(chatId: string, newChatId: string): TelegramEvent {
  return { kind: 'upgraded', chatId, newChatId };
}

function requireUpdate(update: unknown): void {
  try {
    checkUpdate(update);
  } catch (error) {
    throw error instanceof AppError ? new Malformed(error.message) : error;
  }
}
