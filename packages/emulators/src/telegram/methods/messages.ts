import { type Call, chatOf, type Method, needRight } from '../call.ts';
import { badRequest, forbidden, TelegramError } from '../errors.ts';
import type { Chat, Message } from '../types.ts';
import { viewChat, viewMessage, viewUser } from '../views.ts';

const longest = 4096;

export const messageMethods: Readonly<Record<string, Method>> = {
  sendMessage: (call) => {
    const chat = chatOf(call);
    checkWritable(call, chat);
    const text = readText(call);
    const replyMarkup = readMarkup(call);
    const ephemeral = call.params.object('ephemeral_message_parameters');
    if (ephemeral !== undefined && call.world.knowsEphemeral) return sendEphemeral(call, chat, ephemeral, text);
    const replyTo = readReply(call);
    const message = call.world.post(chat, call.bot.user, text, {
      ...(replyMarkup === undefined ? {} : { replyMarkup }),
      ...(replyTo === undefined ? {} : { replyTo }),
    });
    return viewMessage(message);
  },
  editMessageText: (call) => {
    const message = ownMessage(call);
    return edit(call, message, readText(call), readMarkup(call));
  },
  editMessageReplyMarkup: (call) => {
    const message = ownMessage(call);
    return edit(call, message, message.text, readMarkup(call));
  },
  deleteMessage: (call) => {
    const chat = chatOf(call);
    const message = chat.messages.get(call.params.number('message_id') ?? 0);
    if (message === undefined) throw badRequest('message to delete not found');
    if (message.from.id !== call.bot.user.id && chat.type !== 'private') {
      needRight(call, chat, 'can_delete_messages', "message can't be deleted");
    }
    chat.messages.delete(message.id);
    if (chat.pinned.includes(message.id)) chat.pinned.splice(chat.pinned.indexOf(message.id), 1);
    return true;
  },
  deleteEphemeralMessage: (call) => {
    if (!call.world.knowsEphemeral) throw new TelegramError(404, 'Not Found: method not found');
    const chat = chatOf(call);
    const id = call.params.number('ephemeral_message_id') ?? 0;
    if (chat.ephemeral.get(id)?.receiver.id !== call.params.number('receiver_user_id'))
      throw badRequest('message to delete not found');
    return chat.ephemeral.delete(id);
  },
  pinChatMessage: (call) => {
    const chat = chatOf(call);
    const message = chat.messages.get(call.params.number('message_id') ?? 0);
    if (message === undefined) throw badRequest('message to pin not found');
    if (chat.type !== 'private')
      needRight(call, chat, 'can_pin_messages', 'not enough rights to manage pinned messages in the chat');
    const place = chat.pinned.indexOf(message.id);
    if (place === chat.pinned.length - 1 && place !== -1) call.changedNothing();
    if (place !== -1) chat.pinned.splice(place, 1);
    chat.pinned.push(message.id);
    return true;
  },
  sendChatAction: (call) => {
    checkWritable(call, chatOf(call));
    return true;
  },
  answerCallbackQuery: (call) => {
    const id = call.params.text('callback_query_id') ?? '';
    const answer = call.queries.get(id);
    if (answer === undefined) {
      throw badRequest('query is too old and response timeout expired or query ID is invalid');
    }
    call.queries.delete(id);
    const text = call.params.text('text');
    answer({ ...(text === undefined ? {} : { text }), showAlert: call.params.flag('show_alert') });
    return true;
  },
};

/** Bots that are no administrators need a press or an ephemeral command to answer, which are not emulated. */
function sendEphemeral({ world, bot }: Call, chat: Chat, parameters: unknown, text: string) {
  const receiverId = Number((Object(parameters) as { receiver_user_id?: unknown }).receiver_user_id);
  if (!world.isAdministrator(chat, bot.user.id)) throw badRequest('BOT_NOT_ADMIN');
  const receiver = world.users.get(receiverId);
  if (receiver === undefined || receiver.isBot || !world.isIn(chat, receiverId)) throw badRequest('USER_ID_INVALID');
  const id = chat.ephemeral.size + 1;
  chat.ephemeral.set(id, { id, receiver, text });
  return {
    message_id: 0,
    ephemeral_message_id: id,
    receiver_user: viewUser(receiver),
    from: viewUser(bot.user),
    chat: viewChat(chat),
    date: world.nowSeconds(),
    text,
  };
}

function checkWritable({ bot, world }: Call, chat: Chat): void {
  if (chat.type === 'private' && bot.blockedBy.has(chat.id)) throw forbidden('bot was blocked by the user');
  const membership = world.membershipOf(chat, bot.user.id);
  if (membership.status === 'restricted' && !membership.allowed.has('can_send_messages')) {
    throw badRequest('not enough rights to send text messages to the chat');
  }
  if (chat.type === 'channel' && membership.status !== 'administrator') {
    throw badRequest('need administrator rights in the channel chat');
  }
}

function readText({ params }: Call): string {
  const text = params.text('text') ?? '';
  if (text.trim() === '') throw badRequest('message text is empty');
  if (text.length > longest) throw badRequest('message is too long');
  return text;
}

/** Parses an inline keyboard whose buttons each do something. */
function readMarkup({ params }: Call): unknown {
  const markup = params.object('reply_markup');
  if (markup === undefined) return undefined;
  const rows = keyboardOf(markup);
  for (const button of rows.flat()) {
    const data = buttonData(button);
    if (data !== undefined && Buffer.byteLength(data) > 64) throw badRequest('BUTTON_DATA_INVALID');
    const actions = ['callback_data', 'url', 'web_app', 'login_url', 'switch_inline_query', 'copy_text', 'pay'];
    const isUseful = typeof button === 'object' && button !== null && actions.some((action) => action in button);
    if (!isUseful)
      throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  }
  return markup;
}

export function keyboardOf(markup: unknown): unknown[][] {
  if (typeof markup !== 'object' || markup === null || !('inline_keyboard' in markup)) return [];
  const { inline_keyboard: rows } = markup;
  return Array.isArray(rows) ? rows.filter(Array.isArray) : [];
}

export function buttonData(button: unknown): string | undefined {
  if (typeof button !== 'object' || button === null || !('callback_data' in button)) return undefined;
  return String(button.callback_data);
}

function readReply({ params }: Call): number | undefined {
  const reply = params.object('reply_parameters');
  if (typeof reply === 'object' && reply !== null && 'message_id' in reply) return Number(reply.message_id);
  return params.number('reply_to_message_id');
}

function ownMessage(call: Call): Message {
  const chat = chatOf(call);
  const message = chat.messages.get(call.params.number('message_id') ?? 0);
  if (message === undefined) throw badRequest('message to edit not found');
  if (message.from.id !== call.bot.user.id) throw badRequest("message can't be edited");
  return message;
}

function edit(call: Call, message: Message, text: string, replyMarkup: unknown) {
  const isSame = text === message.text && JSON.stringify(replyMarkup) === JSON.stringify(message.replyMarkup);
  if (isSame) {
    call.changedNothing();
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  }
  message.text = text;
  if (replyMarkup === undefined) delete message.replyMarkup;
  else message.replyMarkup = replyMarkup;
  message.editedSeconds = call.world.nowSeconds();
  return viewMessage(message);
}
