import { botOf, type Call, type Define, idOf } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { isFields, readQueryNumber, readText } from '../fields.ts';
import { can, type PermissionName, permissionsOf } from '../permissions.ts';
import { readChanges, readNewMessage } from '../read-message.ts';
import { noContent, ok, type Reply } from '../reply.ts';
import { compareSnowflakes } from '../snowflake.ts';
import { deleteMessage, editMessage, postMessage } from '../state/messages.ts';
import type { Channel, Message } from '../state/types.ts';
import { viewChannel, viewMessage } from '../views.ts';

export function defineMessages(define: Define): void {
  define('GET /channels/:channel', 'other', (call) => ok(viewChannel(enter(call).channel)));
  define('POST /channels/:channel/messages', 'message-write', sendMessage);
  define('GET /channels/:channel/messages', 'other', listMessages);
  define('GET /channels/:channel/messages/:message', 'other', readOne);
  define('PATCH /channels/:channel/messages/:message', 'message-edit', changeMessage);
  define('DELETE /channels/:channel/messages/:message', 'message-delete', removeMessage);
}

interface Entered {
  channel: Channel;
  can: (name: PermissionName) => boolean;
}

/** Returns the channel of the path, if the bot can see it. A direct channel has no permission checks. */
function enter(call: Call): Entered {
  const bot = botOf(call);
  const channel = call.world.channels.get(idOf(call, 'channel'));
  if (channel === undefined) throw refusal('unknownChannel');
  if (channel.guildId === undefined) {
    if (channel.direct?.application !== bot) throw refusal('missingAccess');
    return { channel, can: (name) => name !== 'MANAGE_MESSAGES' };
  }
  const guild = call.world.guilds.get(channel.guildId);
  const self = guild?.members.get(bot.bot.id);
  if (guild === undefined || self === undefined) throw refusal('missingAccess');
  const bits = permissionsOf(guild, self, channel);
  if (!can(bits, 'VIEW_CHANNEL')) throw refusal('missingAccess');
  return { channel, can: (name) => can(bits, name) };
}

function messageOf(call: Call, channel: Channel): Message {
  const message = channel.messages.get(idOf(call, 'message'));
  if (message === undefined) throw refusal('unknownMessage');
  return message;
}

function sendMessage(call: Call): Reply {
  const bot = botOf(call);
  const entered = enter(call);
  if (!entered.can('SEND_MESSAGES')) throw refusal('missingPermissions');
  if (entered.channel.direct?.recipient.takesDirectMessages === false) throw refusal('noDirectMessages');
  const text = readNewMessage(call.body);
  // Without the permission, Discord drops the embeds and sends the rest.
  if (!entered.can('EMBED_LINKS')) delete text.embeds;
  const reference = call.body.message_reference;
  const replyTo = isFields(reference) ? readText(reference, 'message_id') : undefined;
  const nonce = readNonce(call.body);
  const emulator = call.body.enforce_nonce === true ? findSent(call, entered.channel, nonce) : undefined;
  if (emulator !== undefined) return ok(viewMessage(emulator));
  const message = postMessage(call.world, entered.channel, {
    ...text,
    author: bot.bot,
    applicationId: bot.id,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(nonce === undefined ? {} : { nonce }),
  });
  return ok(viewMessage(message));
}

const maxNonce = 25;
const nonceWindowMs = 5 * 60 * 1000;

function readNonce({ nonce }: Call['body']): string | undefined {
  if (nonce === undefined || nonce === null) return undefined;
  if (String(nonce).length > maxNonce)
    throw invalidField('nonce', 'BASE_TYPE_MAX_LENGTH', `Must be ${maxNonce} or fewer in length.`);
  return String(nonce);
}

/** Returns the message that the same bot sent with the same nonce within the last minutes. */
function findSent(call: Call, channel: Channel, nonce: string | undefined): Message | undefined {
  const since = Date.parse(call.world.nowIso()) - nonceWindowMs;
  return [...channel.messages.values()].find(
    (message) =>
      nonce !== undefined &&
      message.nonce === nonce &&
      message.author.id === botOf(call).bot.id &&
      Date.parse(message.sentAt) >= since,
  );
}

function listMessages(call: Call): Reply {
  const entered = enter(call);
  const limit = readQueryNumber(call.query, 'limit', { least: 1, most: 100, otherwise: 50 });
  if (!entered.can('READ_MESSAGE_HISTORY')) return ok([]);
  const before = call.query.get('before');
  const after = call.query.get('after');
  const found = [...entered.channel.messages.values()].filter(
    ({ id }) =>
      (before === null || compareSnowflakes(id, before) < 0) && (after === null || compareSnowflakes(id, after) > 0),
  );
  const page = after === null ? found.slice(-limit) : found.slice(0, limit);
  return ok(page.reverse().map((message) => viewMessage(message)));
}

function readOne(call: Call): Reply {
  const entered = enter(call);
  if (!entered.can('READ_MESSAGE_HISTORY')) throw refusal('missingPermissions');
  return ok(viewMessage(messageOf(call, entered.channel)));
}

function changeMessage(call: Call): Reply {
  const bot = botOf(call);
  const message = messageOf(call, enter(call).channel);
  if (message.author.id !== bot.bot.id) throw refusal('notYourMessage');
  editMessage(call.world, message, readChanges(call.body, message));
  return ok(viewMessage(message));
}

function removeMessage(call: Call): Reply {
  const bot = botOf(call);
  const entered = enter(call);
  const message = messageOf(call, entered.channel);
  if (message.author.id !== bot.bot.id && !entered.can('MANAGE_MESSAGES')) throw refusal('missingPermissions');
  deleteMessage(call.world, entered.channel, message);
  return noContent;
}
