import { systemMs } from '../clock.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import { changeMembership, requireJoined, sendEvent } from './rules.ts';
import { readFilter, shown, syncFor } from './sync.ts';
import { upgradeRoom } from './upgrade.ts';
import { forbidden, MatrixError, type MatrixRoom, MatrixWorld } from './world.ts';

type Fields = Record<string, unknown>;

/** How many requests of a kind a user may make: `burst` at once, and `perSecond` on average. */
export interface MatrixRate {
  perSecond: number;
  burst: number;
}

/** The limits of a Synapse as it is installed (rc_message, rc_invites, rc_joins). */
export const synapseRates = {
  messages: { perSecond: 0.2, burst: 10 },
  invites: { perSecond: 0.3, burst: 10 },
  joins: { perSecond: 0.1, burst: 10 },
} as const;

export interface MatrixOptions extends EmulatorAddress {
  /** The name of the homeserver in ids. */
  server?: string;
  nowMs?: () => number;
  /** Without them nothing is limited, as for a user whom the operator exempted. */
  rates?: Partial<Record<keyof typeof synapseRates, MatrixRate>>;
}

export interface MatrixEmulator extends HttpEmulator {
  world: MatrixWorld;
}

interface Call {
  world: MatrixWorld;
  user: string;
  parts: readonly string[];
  query: URLSearchParams;
  body: Fields;
  limit(kind: keyof typeof synapseRates): void;
}

/** Serves the client-server API of a Matrix homeserver, as far as bots and their users need it. */
export async function startMatrixEmulator(options: MatrixOptions = {}): Promise<MatrixEmulator> {
  const nowMs = options.nowMs ?? systemMs;
  const world = new MatrixWorld(options.server ?? 'matrix.test', nowMs);
  const buckets = new Map<string, { left: number; atMs: number }>();
  const limitFor = (user: string) => (kind: keyof typeof synapseRates) => {
    const rate = options.rates?.[kind];
    if (rate === undefined) return;
    const bucket = buckets.get(`${user} ${kind}`) ?? { left: rate.burst, atMs: nowMs() };
    const left = Math.min(rate.burst, bucket.left + ((nowMs() - bucket.atMs) / 1000) * rate.perSecond);
    buckets.set(`${user} ${kind}`, { left: Math.max(0, left - (left >= 1 ? 1 : 0)), atMs: nowMs() });
    if (left < 1)
      throw new MatrixError(
        429,
        'M_LIMIT_EXCEEDED',
        'Too Many Requests',
        Math.ceil(((1 - left) / rate.perSecond) * 1000),
      );
  };
  const emulator = await startHttpEmulator(async (request) => {
    try {
      return { body: await answer(world, request, limitFor) };
    } catch (error) {
      if (error instanceof MatrixError) return errorReply(error);
      throw error;
    }
  }, options);
  const stop = async () => {
    world.wake();
    await emulator.stop();
  };
  return { ...emulator, stop, world };
}

function errorReply({ status, code, message, retryAfterMs }: MatrixError): EmulatorReply {
  return {
    status,
    ...(retryAfterMs !== undefined && { headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) } }),
    body: { errcode: code, error: message, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) },
  };
}

const unrecognized = () => new MatrixError(404, 'M_UNRECOGNIZED', 'Unrecognized request');
const notFound = (message: string) => new MatrixError(404, 'M_NOT_FOUND', message);

async function answer(
  world: MatrixWorld,
  { method, path, query, headers, body }: EmulatorRequest,
  limitFor: (user: string) => Call['limit'],
): Promise<unknown> {
  if (path === '/_matrix/client/versions') return { versions: ['v1.1', 'v1.11', 'v1.12'], unstable_features: {} };
  const [, , , version, ...parts] = path.split('/');
  const user = world.userOf((headers.authorization ?? '').replace(/^Bearer /, ''));
  if (user === undefined) throw new MatrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token passed.');
  if (method !== 'GET' && (typeof body !== 'object' || body === null) && body !== undefined)
    throw new MatrixError(400, 'M_NOT_JSON', 'Content not JSON.');
  const call: Call = { world, user, parts, query, body: (body ?? {}) as Fields, limit: limitFor(user) };
  const [first, id = ''] = parts;
  switch (`${method} ${first}`) {
    case 'GET account':
      return { user_id: user, device_id: 'EMULATOR', is_guest: false };
    case 'GET joined_rooms':
      return { joined_rooms: roomsOf(call).map((room) => room.id) };
    case 'GET capabilities':
      return { capabilities: {} };
    case 'GET pushrules':
      return { global: { override: [], content: [], room: [], sender: [], underride: [] } };
    case 'GET sync':
      return sync(call);
    case 'POST createRoom':
      return createRoom(call);
    case 'POST join':
      call.limit('joins');
      changeMembership(world, world.room(id), user, user, 'join');
      return { room_id: id };
    case 'POST knock':
      changeMembership(world, world.room(id), user, user, 'knock', reasonIn(call));
      return { room_id: id };
    case 'GET user':
    case 'PUT user':
    case 'POST user':
      return answerUser(call, method);
    case 'GET rooms':
      return version === 'v1' && parts[2] === 'hierarchy' ? hierarchy(call) : readRoom(call);
    case 'PUT rooms':
    case 'POST rooms':
      return changeRoom(call, method);
  }
  throw unrecognized();
}

function roomsOf({ world, user }: Call): MatrixRoom[] {
  return [...world.rooms.values()].filter((room) => world.membershipOf(room, user) === 'join');
}

function reasonIn({ body }: Call): Fields {
  return typeof body.reason === 'string' ? { reason: body.reason } : {};
}

async function sync({ world, user, query }: Call): Promise<unknown> {
  const given = query.get('since');
  if (given !== null && !/^s\d+$/.test(given)) throw new MatrixError(400, 'M_INVALID_PARAM', 'Invalid since token');
  const since = given === null ? undefined : Number(given.slice(1));
  if (since !== undefined && since > world.position)
    throw new MatrixError(400, 'M_INVALID_PARAM', 'Unknown since token');
  const filter = readFilter(world, query.get('filter'));
  const first = syncFor(world, user, since, filter);
  const timeoutMs = Math.min(Number(query.get('timeout') ?? 0), 30_000);
  if (!first.isEmpty || since === undefined || timeoutMs === 0) return first.body;
  await world.nextEvent(timeoutMs);
  return syncFor(world, user, since, filter).body;
}

function createRoom({ world, user, body, limit }: Call): unknown {
  const room: MatrixRoom = { id: `!${world.nextId()}:${world.server}`, events: [], state: new Map() };
  world.rooms.set(room.id, room);
  const set = (type: string, content: Fields, key = '') =>
    world.add(room, { type, sender: user, state_key: key, content });
  const version = String(body.room_version ?? '10');
  const isTrusted = body.preset === 'trusted_private_chat';
  const invited = Array.isArray(body.invite) ? body.invite.map(String) : [];
  const admins = [user, ...(isTrusted ? invited : [])].filter((id) => Number(version) < 12 || id !== user);
  set('m.room.create', { ...(body.creation_content as Fields | undefined), room_version: version });
  changeMembershipAsCreator(world, room, user);
  set('m.room.power_levels', {
    users: Object.fromEntries(admins.map((id) => [id, 100])),
    users_default: 0,
    events_default: 0,
    state_default: 50,
    ban: 50,
    kick: 50,
    redact: 50,
    invite: body.preset === 'public_chat' ? 50 : 0,
    events: { 'm.room.power_levels': 100, 'm.room.tombstone': 100 },
    ...(body.power_level_content_override as Fields | undefined),
  });
  set('m.room.join_rules', { join_rule: body.preset === 'public_chat' ? 'public' : 'invite' });
  const initial = Array.isArray(body.initial_state) ? (body.initial_state as Fields[]) : [];
  for (const { type, state_key: key = '', content } of initial) set(String(type), content as Fields, String(key));
  if (typeof body.name === 'string') set('m.room.name', { name: body.name });
  for (const id of invited) {
    limit('invites');
    changeMembership(world, room, user, id, 'invite', body.is_direct === true ? { is_direct: true } : {});
  }
  return { room_id: room.id };
}

function changeMembershipAsCreator(world: MatrixWorld, room: MatrixRoom, user: string): void {
  const content = { membership: 'join', displayname: world.users.get(user)?.name ?? user };
  world.add(room, { type: 'm.room.member', sender: user, state_key: user, content });
}

function answerUser({ world, user, parts, body }: Call, method: string): unknown {
  const [, owner = '', what, type = ''] = parts;
  if (owner !== user) throw forbidden('Cannot access the data of other users.');
  const key = `${user} ${type}`;
  if (what === 'filter' && method === 'POST') return { filter_id: String(world.filters.push(body) - 1) };
  if (what === 'filter') return world.filters[Number(type)] ?? {};
  if (what !== 'account_data') throw unrecognized();
  if (method === 'PUT') {
    world.accountData.set(key, body);
    return {};
  }
  if (!world.accountData.has(key)) throw notFound('Account data not found');
  return world.accountData.get(key);
}

function readRoom({ world, user, parts, query }: Call): unknown {
  const [, id = '', what, type = '', ...key] = parts;
  const room = world.room(id);
  requireJoined(world, room, user);
  switch (what) {
    case 'state': {
      if (type === '') return [...room.state.values()].map(shown);
      const event = world.stateOf(room, type, key.join('/'));
      if (event === undefined) throw notFound('Event not found.');
      return query.get('format') === 'event' ? shown(event) : event.content;
    }
    case 'members': {
      const members = [...room.state.values()].filter((event) => event.type === 'm.room.member');
      const is = (name: string) => query.get(name);
      return {
        chunk: members
          .filter(({ content }) => is('membership') === null || content.membership === is('membership'))
          .filter(({ content }) => is('not_membership') === null || content.membership !== is('not_membership'))
          .map(shown),
      };
    }
    case 'joined_members': {
      const joined = [...room.state.values()].filter(
        ({ type, content }) => type === 'm.room.member' && content.membership === 'join',
      );
      return {
        joined: Object.fromEntries(
          joined.map(({ state_key: key = '', content }) => [key, { display_name: content.displayname }]),
        ),
      };
    }
    case 'messages':
      return { chunk: [], start: 's0' };
  }
  throw unrecognized();
}

function changeRoom({ world, user, parts, body, limit, ...call }: Call, method: string): unknown {
  const [, id = '', what, type = '', key = ''] = parts;
  const room = world.room(id);
  const target = String(body.user_id ?? '');
  const reason = reasonIn({ world, user, parts, body, limit, ...call });
  switch (`${method} ${what}`) {
    case 'PUT send':
      limit('messages');
      return { event_id: sendEvent(world, room, user, { type, content: body }).event_id };
    case 'PUT state':
      return { event_id: sendEvent(world, room, user, { type, state_key: key, content: body }).event_id };
    case 'POST invite':
      limit('invites');
      changeMembership(world, room, user, target, 'invite', reason);
      return {};
    case 'POST kick':
      changeMembership(world, room, user, target, 'leave', reason);
      return {};
    case 'POST ban':
      changeMembership(world, room, user, target, 'ban', reason);
      return {};
    case 'POST unban':
      changeMembership(world, room, user, target, 'leave', reason);
      return {};
    case 'POST leave':
      changeMembership(world, room, user, user, 'leave', reason);
      return {};
    case 'POST join':
      limit('joins');
      changeMembership(world, room, user, user, 'join');
      return { room_id: id };
    case 'POST upgrade':
      return { replacement_room: upgradeRoom(world, room, user, String(body.new_version ?? '')) };
    case 'POST receipt':
    case 'POST read_markers':
      return {};
  }
  throw unrecognized();
}

/** The rooms directly in a space that the user may see. */
function hierarchy({ world, user, parts }: Call): unknown {
  const space = world.room(parts[1] ?? '');
  requireJoined(world, space, user);
  const children = [...space.state.values()].filter(
    ({ type, content }) => type === 'm.space.child' && Array.isArray(content.via),
  );
  const rooms = children.flatMap(({ state_key: id = '' }) => world.rooms.get(id) ?? []);
  const visible = rooms.filter((room) => world.membershipOf(room, user) === 'join' || ruleOf(world, room) !== 'invite');
  return { rooms: [summary(world, space, children.map(shown)), ...visible.map((room) => summary(world, room, []))] };
}

function ruleOf(world: MatrixWorld, room: MatrixRoom): unknown {
  return world.stateOf(room, 'm.room.join_rules')?.content.join_rule;
}

function summary(world: MatrixWorld, room: MatrixRoom, children: unknown[]): unknown {
  const members = [...room.state.values()].filter(
    ({ type, content }) => type === 'm.room.member' && content.membership === 'join',
  );
  const type = world.stateOf(room, 'm.room.create')?.content.type;
  const name = world.stateOf(room, 'm.room.name')?.content.name;
  return {
    room_id: room.id,
    num_joined_members: members.length,
    world_readable: false,
    guest_can_join: false,
    join_rule: ruleOf(world, room),
    children_state: children,
    ...(name !== undefined && { name }),
    ...(type !== undefined && { room_type: type }),
  };
}
