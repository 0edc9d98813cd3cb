import type { Chat } from '../types.ts';
import { listParticipants, showFullChannel, showFullGroup } from './participants.ts';
import { RpcRefused } from './refused.ts';
import type { DataCenter, KnownKey } from './start.ts';
import type { TlObject, TlValue } from './tl.ts';
import { accessHashOf, bareIdOf, viewChannel, viewUser } from './views.ts';

const wrappers = new Set(['invokeWithLayer', 'initConnection', 'invokeWithoutUpdates']);

/** Runs a call, inside whatever it is wrapped in. */
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

/** A bot may name a channel without the hash that others need, as long as it is in it. */
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
