import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Misbehaviours } from '../../misbehave.ts';
import type { Bot, Chat, Membership, User } from '../types.ts';
import type { World } from '../world.ts';
import type { AgreedKey } from './handshake.ts';
import { RpcRefused } from './refused.ts';
import type { Schema } from './schema.ts';
import type { TlObject, TlValue } from './tl.ts';

/** A key that was exchanged with a client, and the bot that logged in with it. */
export interface KnownKey extends AgreedKey {
  bot: Bot | undefined;
  /** Whether the client has identified its application. */
  isNamed: boolean;
}

export interface Address {
  id: number;
  ipAddress: string;
  port: number;
}

/** One of Telegram's data centers. Each knows only the keys that were exchanged with it. */
export interface DataCenter {
  dcId: number;
  schema: Schema;
  privateKey: KeyObject;
  publicKey: KeyObject;
  world: World;
  /** The system clock: clients synchronize with the servers' time. */
  clock: Clock;
  misbehaviours: Misbehaviours;
  apiId: number;
  apiHash: string;
  keys: Map<string, KnownKey>;
  /** Returns random bytes, derived from the seed of the world. */
  draw(length: number): Buffer;
  homeOf(bot: Bot): number;
  addresses(): readonly Address[];
  count(method: string): void;
}

const wrappers = new Set(['invokeWithLayer', 'initConnection', 'invokeWithoutUpdates']);

/** Runs a call, inside any wrappers. */
export async function callMethod(dc: DataCenter, known: KnownKey, call: TlObject): Promise<TlObject | 'hang' | 'cut'> {
  let inner = call;
  while (wrappers.has(inner._)) {
    if (inner._ === 'invokeWithLayer' && inner.layer !== dc.schema.layer)
      throw new RpcRefused(400, 'CONNECTION_LAYER_INVALID');
    if (inner._ === 'initConnection') {
      if (inner.api_id !== dc.apiId) throw new RpcRefused(400, 'CONNECTION_API_ID_INVALID');
      known.isNamed = true;
    }
    inner = objectOf(inner.query);
  }
  if (!known.isNamed) throw new RpcRefused(400, 'CONNECTION_NOT_INITED');
  dc.count(inner._);
  const limit = dc.misbehaviours.strike('rate-limit', inner._);
  if (limit) throw new RpcRefused(420, `FLOOD_WAIT_${limit.retryAfterSeconds ?? 1}`);
  if (dc.misbehaviours.strike('error', inner._)) throw new RpcRefused(500, 'INTERDC_2_CALL_ERROR');
  if (dc.misbehaviours.strike('outage', inner._)) return 'cut';
  if (dc.misbehaviours.strike('hang', inner._)) return 'hang';
  return run(dc, known, inner);
}

function run(dc: DataCenter, known: KnownKey, call: TlObject): TlObject {
  if (call._ === 'help.getConfig') return configOf(dc);
  if (call._ === 'help.getNearestDc') return { _: 'nearestDc', country: 'NL', this_dc: dc.dcId, nearest_dc: dc.dcId };
  if (call._ === 'auth.importBotAuthorization') return logIn(dc, known, call);
  const { bot } = known;
  if (bot === undefined) throw new RpcRefused(401, 'AUTH_KEY_UNREGISTERED');
  switch (call._) {
    case 'channels.getChannels': {
      const ids = Array.isArray(call.id) ? call.id : [];
      const chats = ids.map((id: TlValue) => viewChannel(dc.world, channelOf(dc, known, id), bot));
      return { _: 'messages.chats', chats };
    }
    case 'channels.getFullChannel':
      return showFullChannel(dc.world, channelOf(dc, known, call.channel), bot);
    case 'channels.getParticipants': {
      const filter = objectOf(call.filter)._;
      const page = { filter, offset: Number(call.offset), limit: Number(call.limit) };
      return listParticipants(dc.world, channelOf(dc, known, call.channel), bot, page);
    }
    case 'messages.getFullChat': {
      const chat = dc.world.chats.get(-Number(call.chat_id));
      if (chat?.type !== 'group') throw new RpcRefused(400, 'CHAT_ID_INVALID');
      return showFullGroup(dc.world, chat, bot);
    }
    default:
      throw new RpcRefused(400, 'INPUT_METHOD_INVALID');
  }
}

function logIn(dc: DataCenter, known: KnownKey, call: TlObject): TlObject {
  if (call.api_id !== dc.apiId || call.api_hash !== dc.apiHash) throw new RpcRefused(400, 'API_ID_INVALID');
  const bot = dc.world.bots.get(String(call.bot_auth_token));
  if (bot === undefined) throw new RpcRefused(400, 'ACCESS_TOKEN_INVALID');
  const home = dc.homeOf(bot);
  if (home !== dc.dcId) throw new RpcRefused(303, `USER_MIGRATE_${home}`);
  known.bot = bot;
  return { _: 'auth.authorization', user: viewUser(bot.user, { self: true }) };
}

/** A bot may refer to a channel without an access hash, as long as it is in it. */
function channelOf(dc: DataCenter, { bot }: KnownKey, value: TlValue): Chat {
  const { channel_id: id, access_hash: hash } = objectOf(value);
  const chat = dc.world.chats.get(Number(`-100${id}`));
  if (chat === undefined || bot === undefined || bareIdOf(chat) !== id) throw new RpcRefused(400, 'CHANNEL_INVALID');
  if (hash !== 0n && hash !== accessHashOf(dc.world, chat, bot)) throw new RpcRefused(400, 'CHANNEL_INVALID');
  if (!dc.world.isIn(chat, bot.user.id)) throw new RpcRefused(406, 'CHANNEL_PRIVATE');
  return chat;
}

function objectOf(value: TlValue): TlObject {
  if (typeof value === 'object' && !Array.isArray(value) && '_' in value) return value;
  throw new RpcRefused(400, 'INPUT_REQUEST_INVALID');
}

function configOf(dc: DataCenter): TlObject {
  const nowSeconds = Math.floor(dc.clock() / 1000);
  const zeros = Object.fromEntries(
    (dc.schema.byName.get('config')?.arguments ?? [])
      .filter(({ type, typeModifiers }) => type === 'int' && typeModifiers?.predicate === undefined)
      .map(({ name }) => [name, 0]),
  );
  return {
    ...zeros,
    _: 'config',
    date: nowSeconds,
    expires: nowSeconds + 3_600,
    test_mode: false,
    this_dc: dc.dcId,
    dc_options: dc.addresses().map(({ id, ipAddress, port }) => ({ _: 'dcOption', id, ip_address: ipAddress, port })),
    dc_txt_domain_name: '',
    me_url_prefix: '',
  };
}

const pageSize = 200;
/** Telegram does not publish the limits of lists; these are what clients have observed. */
const mostOf = { supergroup: 10_000, channel: 200 } as const;

const settings: TlObject = { _: 'peerNotifySettings' };

/**
 * Returns a page of the members. In a group that hides them, only administrators see more than administrators and bots. The subscribers of
 * a channel are visible to its administrators only. Restricted members are on a separate list, as clients report.
 */
function listParticipants(
  world: World,
  chat: Chat,
  bot: Bot,
  { filter, offset, limit }: { filter: string; offset: number; limit: number },
): TlObject {
  const isAdmin = world.isAdministrator(chat, bot.user.id);
  const isRestricted = (id: number) => world.membershipOf(chat, id).status === 'restricted';
  const wantsRestricted = filter === 'channelParticipantsBanned';
  if ((chat.type === 'channel' || wantsRestricted) && !isAdmin) throw new RpcRefused(400, 'CHAT_ADMIN_REQUIRED');
  const isShown = ({ id, isBot }: User) => isAdmin || !chat.hidesMembers || isBot || world.isAdministrator(chat, id);
  const everyone = wantsRestricted
    ? usersOf(world, [...chat.members.keys()].filter(isRestricted))
    : insideOf(world, chat).filter((user) => isShown(user) && !isRestricted(user.id));
  const reachable = everyone.slice(0, mostOf[chat.type === 'channel' ? 'channel' : 'supergroup']);
  const page = reachable.slice(offset, offset + Math.min(limit, pageSize));
  return {
    _: 'channels.channelParticipants',
    count: everyone.length,
    participants: page.map(({ id }) => viewParticipant(id, world.membershipOf(chat, id), id === bot.user.id)),
    chats: [],
    users: page.map((user) => viewUser(user)),
  };
}

function showFullChannel(world: World, chat: Chat, bot: Bot): TlObject {
  const full = {
    _: 'channelFull',
    id: bareIdOf(chat),
    about: '',
    participants_count: insideOf(world, chat).length,
    participants_hidden: chat.hidesMembers === true,
    can_view_participants: world.isAdministrator(chat, bot.user.id) || !chat.hidesMembers,
    read_inbox_max_id: 0,
    read_outbox_max_id: 0,
    unread_count: 0,
    chat_photo: { _: 'photoEmpty', id: 0n },
    notify_settings: settings,
    bot_info: [],
    pts: 1,
  };
  return { _: 'messages.chatFull', full_chat: full, chats: [viewChannel(world, chat, bot)], users: [] };
}

/** Returns a basic group, whose members are sent all at once. */
function showFullGroup(world: World, chat: Chat, bot: Bot): TlObject {
  if (!world.isIn(chat, bot.user.id)) throw new RpcRefused(400, 'CHAT_ID_INVALID');
  const members = insideOf(world, chat);
  const participants = members.map(({ id }): TlObject => {
    const { status } = world.membershipOf(chat, id);
    if (status === 'creator') return { _: 'chatParticipantCreator', user_id: id };
    const _ = status === 'administrator' ? 'chatParticipantAdmin' : 'chatParticipant';
    return { _, user_id: id, inviter_id: id, date: 0 };
  });
  const id = bareIdOf(chat);
  const full = {
    _: 'chatFull',
    id,
    about: '',
    participants: { _: 'chatParticipants', chat_id: id, participants, version: 1 },
    notify_settings: settings,
  };
  return { _: 'messages.chatFull', full_chat: full, chats: [], users: members.map((user) => viewUser(user)) };
}

function insideOf(world: World, chat: Chat): User[] {
  return usersOf(
    world,
    [...chat.members.keys()].filter((id) => world.isIn(chat, id)),
  );
}

function usersOf(world: World, ids: readonly number[]): User[] {
  return ids.flatMap((id) => world.users.get(id) ?? []);
}

/** Returns the id of a chat in MTProto: without the prefix of the Bot API. */
function bareIdOf({ id, type }: Chat): number {
  return type === 'group' ? -id : Number(String(id).replace(/^-100/, ''));
}

/** Returns the access hash of a channel, which differs between bots. */
function accessHashOf(world: World, chat: Chat, bot: Bot): bigint {
  return world.derive(`access hash ${chat.id} ${bot.user.id}`).readBigInt64LE();
}

function viewUser({ id, firstName, username, isBot }: User, { self = false } = {}): TlObject {
  return {
    _: 'user',
    id,
    self,
    bot: isBot,
    access_hash: BigInt(id),
    first_name: firstName,
    ...(username !== undefined && { username }),
    ...(isBot && { bot_info_version: 1 }),
  };
}

function viewChannel(world: World, chat: Chat, bot: Bot): TlObject {
  return {
    _: 'channel',
    id: bareIdOf(chat),
    access_hash: accessHashOf(world, chat, bot),
    title: chat.title,
    broadcast: chat.type === 'channel',
    megagroup: chat.type === 'supergroup',
    photo: { _: 'chatPhotoEmpty' },
    date: 0,
    ...(chat.username !== undefined && { username: chat.username }),
  };
}

const noRights: TlObject = { _: 'chatAdminRights' };

/** Returns a member as a channel's list shows them; a muted one is shown with the restrictions. */
function viewParticipant(userId: number, membership: Membership, isSelf: boolean): TlObject {
  switch (membership.status) {
    case 'creator':
      return { _: 'channelParticipantCreator', user_id: userId, admin_rights: noRights };
    case 'administrator':
      return {
        _: 'channelParticipantAdmin',
        user_id: userId,
        promoted_by: membership.promotedBy,
        date: 0,
        admin_rights: noRights,
        ...(isSelf && { self: true, inviter_id: membership.promotedBy }),
      };
    case 'restricted':
      return {
        _: 'channelParticipantBanned',
        left: !membership.isMember,
        peer: { _: 'peerUser', user_id: userId },
        kicked_by: userId,
        date: 0,
        banned_rights: { _: 'chatBannedRights', send_messages: true, until_date: membership.untilSeconds },
      };
    case 'kicked':
    case 'left':
      return { _: 'channelParticipantLeft', peer: { _: 'peerUser', user_id: userId } };
    default:
      return isSelf
        ? { _: 'channelParticipantSelf', user_id: userId, inviter_id: userId, date: 0 }
        : { _: 'channelParticipant', user_id: userId, date: 0 };
  }
}
