import { intents } from '../intents.ts';
import { viewMember, viewMessage } from '../views.ts';
import type { Application, Channel, Message, Snowflake, User } from './types.ts';
import type { Happening, Listener, World } from './world.ts';

/** Only the user of the interaction sees it, and it is not among the messages of the channel. */
export const ephemeralFlag = 1 << 6;
/** The bot announced a later response. */
export const loadingFlag = 1 << 7;

export type MessageText = Pick<Message, 'content' | 'embeds' | 'components' | 'attachments' | 'flags'>;

export interface NewMessage extends Partial<MessageText> {
  author: User;
  applicationId?: Snowflake;
  interaction?: NonNullable<Message['interaction']>;
  replyTo?: Snowflake;
  nonce?: string;
}

export function postMessage(world: World, channel: Channel, options: NewMessage): Message {
  const message: Message = {
    id: world.nextId(),
    channelId: channel.id,
    ...(channel.guildId === undefined ? {} : { guildId: channel.guildId }),
    content: '',
    embeds: [],
    components: [],
    attachments: [],
    flags: 0,
    sentAt: world.nowIso(),
    editedAt: null,
    ...options,
  };
  if (message.applicationId !== undefined) world.sent.push(message);
  if ((message.flags & ephemeralFlag) !== 0) return message;
  channel.messages.set(message.id, message);
  notifyMessage(world, channel, message, 'MESSAGE_CREATE');
  return message;
}

export function editMessage(world: World, message: Message, changes: Partial<MessageText>): void {
  Object.assign(message, changes, { editedAt: world.nowIso() });
  const channel = world.channels.get(message.channelId);
  if (channel?.messages.has(message.id)) notifyMessage(world, channel, message, 'MESSAGE_UPDATE');
}

export function deleteMessage(world: World, channel: Channel, message: Message): void {
  channel.messages.delete(message.id);
  const data = () => ({ id: message.id, channel_id: channel.id, ...guildField(channel) });
  world.dispatch({ type: 'MESSAGE_DELETE', intent: intentOf(channel), ...audience(channel), data });
}

/** Content reaches other bots only with the message content intent; a bot sees its own messages. */
function notifyMessage(
  world: World,
  channel: Channel,
  message: Message,
  type: 'MESSAGE_CREATE' | 'MESSAGE_UPDATE',
): void {
  const guild = channel.guildId === undefined ? undefined : world.guilds.get(channel.guildId);
  const member = guild?.members.get(message.author.id);
  const data = (listener: Listener) => {
    const mayRead =
      guild === undefined ||
      message.author.id === listener.application.bot.id ||
      (listener.intents & intents.messageContent) !== 0;
    if (member === undefined) return { ...viewMessage(message, mayRead), ...guildField(channel) };
    const { user: _, ...rest } = viewMember(member);
    return { ...viewMessage(message, mayRead), ...guildField(channel), member: rest };
  };
  world.dispatch({ type, intent: intentOf(channel), ...audience(channel), data });
}

const guildField = ({ guildId }: Channel) => (guildId === undefined ? {} : { guild_id: guildId });
const intentOf = ({ guildId }: Channel) => (guildId === undefined ? intents.directMessages : intents.messages);

function audience(channel: Channel): Pick<Happening, 'guildId' | 'applicationId' | 'channel'> {
  const { guildId, direct } = channel;
  if (guildId !== undefined) return { guildId, channel };
  return direct === undefined ? {} : { applicationId: direct.application.id };
}

/** Returns the one channel between a bot and a user. */
export function openDirectChannel(world: World, application: Application, recipient: User): Channel {
  const known = world.directChannels.get(`${application.id} ${recipient.id}`);
  if (known) return known;
  const channel: Channel = {
    id: world.nextId(),
    type: 1,
    direct: { application, recipient },
    name: '',
    topic: null,
    position: 0,
    parentId: null,
    overwrites: new Map(),
    messages: new Map(),
  };
  world.channels.set(channel.id, channel);
  world.directChannels.set(`${application.id} ${recipient.id}`, channel);
  return channel;
}

/** Everything that a person reads in a message, from top to bottom: its content, or the texts of its components. */
export function shownText({ content, components }: { content?: unknown; components?: unknown }): string {
  const texts = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(texts);
    const { type, content: text, components: inner } = Object(value) as Record<string, unknown>;
    return type === 10 ? [String(text)] : texts(inner ?? []);
  };
  return [...(typeof content === 'string' && content !== '' ? [content] : []), ...texts(components ?? [])].join('\n');
}
