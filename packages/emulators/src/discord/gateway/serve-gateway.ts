import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Misbehaviours } from '../../misbehave.ts';
import { Windows } from '../../windows.ts';
import { type Fields, isFields } from '../fields.ts';
import { intents, knownIntents, privilegedIntents } from '../intents.ts';
import type { Limits } from '../limits/limits.ts';
import { can, permissionsOf } from '../permissions.ts';
import { resetToken } from '../state/applications.ts';
import { membersAfter, membersNamed } from '../state/members.ts';
import type { Application, Guild, Member } from '../state/types.ts';
import type { Happening, World } from '../state/world.ts';
import { viewJoinedGuild, viewMember, viewUser } from '../views.ts';
import { closeCodes, isOfShard, opcodes, Session } from './session.ts';
import { SessionStarts } from './session-starts.ts';

const heartbeatMs = 41_250;
const largestBytes = 15 * 1024;
/** The versions that Discord supports; without one, it uses its default. */
const versions: ReadonlySet<string | null> = new Set(['6', '7', '8', '9', '10', null]);

interface Parts {
  world: World;
  limits: Limits;
  misbehaviours: Misbehaviours;
  url: () => string;
}

/** The gateway: sends events to bots over WebSockets. */
export class Gateway {
  /** How many sessions each bot may still start. */
  readonly starts: SessionStarts;
  /** How many connections, sessions and resumes there were so far. */
  readonly metrics = { connected: 0, identified: 0, refused: 0, resumed: 0 };
  readonly #parts: Parts;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: largestBytes });
  readonly #sessions: Sessions;
  readonly #windows: Windows;
  #welcomed = 0;

  constructor(server: Server, parts: Parts) {
    this.#parts = parts;
    this.#sessions = new Sessions(parts.world);
    this.#windows = new Windows(parts.world.clock);
    this.starts = new SessionStarts(parts.world, parts.limits);
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Returns the number of connected bots. */
  connections(): number {
    return this.#server.clients.size;
  }

  /** Disconnects every client with this code. They may resume. */
  disconnect(code = 4000): void {
    for (const socket of this.#server.clients) socket.close(code);
  }

  /** Returns the connected shards, each as often as it has a connection. */
  shards(): number[] {
    return this.#sessions.connected().map(({ shard: [id] }) => id);
  }

  /** Requests every client to reconnect, as Discord does before it restarts a machine. */
  askToReconnect(): void {
    for (const socket of this.#server.clients) send(socket, opcodes.reconnect, null);
  }

  /** Drops all sessions, so that none can be resumed. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  /** Cuts all connections without a close frame. */
  cut(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const query = new URLSearchParams(request.url?.split('?')[1] ?? '');
    const isPlain = (query.get('encoding') ?? 'json') === 'json' && !query.has('compress');
    if (this.#parts.misbehaviours.strike('outage', 'GATEWAY connect')) socket.destroy();
    else if (!isPlain) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    else
      this.#server.handleUpgrade(request, socket, head, (opened) => {
        if (versions.has(query.get('v'))) this.#welcome(opened);
        else opened.close(closeCodes.invalidVersion, 'Invalid API version.');
      });
  }

  #welcome(socket: WebSocket): void {
    this.#welcomed += 1;
    this.metrics.connected += 1;
    const key = `sends ${this.#welcomed}`;
    let session: Session | undefined;
    socket.on('error', () => undefined);
    socket.on('close', (code) => {
      if (session) this.#sessions.leave(session, socket, code);
    });
    socket.on('message', (data) => {
      if (!this.#windows.take(key, this.#parts.limits.gatewaySends).isAllowed) {
        socket.close(closeCodes.rateLimited, 'Rate limited.');
        return;
      }
      const taken = this.#take(socket, session, data);
      if (taken instanceof Session) session = taken;
      else if (taken !== undefined) socket.close(taken.code, taken.reason);
    });
    send(socket, opcodes.hello, { heartbeat_interval: heartbeatMs });
  }

  /** Handles a bot's payload. Returns its new session, or why to disconnect. */
  #take(socket: WebSocket, session: Session | undefined, data: RawData): Session | Refused | undefined {
    const reply = parse(data);
    if (reply === undefined) return { code: closeCodes.decodeError, reason: 'Error while decoding payload.' };
    if (reply.op === opcodes.heartbeat) {
      const isDeaf = this.#parts.misbehaviours.strike('hang', 'GATEWAY heartbeat') !== undefined;
      if (!isDeaf) send(socket, opcodes.heartbeatAck, null);
      return undefined;
    }
    if (reply.op === opcodes.identify || reply.op === opcodes.resume) {
      if (session) return { code: closeCodes.alreadyAuthenticated, reason: 'Already authenticated.' };
      const closing = this.#parts.misbehaviours.strike('close', 'GATEWAY begin');
      if (closing) return { code: closing.code, reason: 'The emulator was told to hang up.' };
      return reply.op === opcodes.identify ? this.#begin(socket, reply.d) : this.#resume(socket, reply.d);
    }
    if (session === undefined) return { code: closeCodes.notAuthenticated, reason: 'Not authenticated.' };
    if (reply.op === opcodes.requestMembers) {
      sendMembers(this.#parts.world, session, reply.d, this.#parts.limits, this.#windows);
    } else if (reply.op !== opcodes.presence && reply.op !== opcodes.voice) {
      return { code: closeCodes.unknownOpcode, reason: 'Unknown opcode.' };
    }
    return undefined;
  }

  #begin(socket: WebSocket, reply: unknown): Session | Refused | undefined {
    const { world, url, limits } = this.#parts;
    const request = identify(world, reply, limits.guildsPerShard);
    if ('code' in request) return request;
    const start = this.starts.take(request.application, request.shard[0]);
    if (start === 'too-soon') {
      this.metrics.refused += 1;
      send(socket, opcodes.invalidSession, false);
      return undefined;
    }
    if (start === 'used-up') {
      this.#sessions.endAllOf(request.application);
      resetToken(world, request.application);
      return { code: closeCodes.authenticationFailed, reason: 'Authentication failed.' };
    }
    this.metrics.identified += 1;
    const session = this.#sessions.open(request, socket);
    const { application, shard } = session;
    const guilds = [...world.guilds.values()].filter(
      (guild) => guild.members.has(application.bot.id) && session.holds(guild.id),
    );
    session.dispatch('READY', {
      v: 10,
      user: { ...viewUser(application.bot), verified: true, mfa_enabled: false, email: null },
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: url(),
      session_type: 'normal',
      shard,
      application: { id: application.id, flags: 0 },
      private_channels: [],
      relationships: [],
      user_settings: {},
    });
    for (const guild of guilds.filter(({ isUnavailable }) => !isUnavailable))
      session.dispatch('GUILD_CREATE', viewJoinedGuild(guild, application));
    return session;
  }

  #resume(socket: WebSocket, reply: unknown): Session | undefined {
    const request = isFields(reply) ? reply : {};
    const session = this.#sessions.resume(
      String(request.session_id),
      String(request.token),
      Number(request.seq),
      socket,
    );
    if (session === undefined) send(socket, opcodes.invalidSession, false);
    else this.metrics.resumed += 1;
    return session;
  }
}

function send(socket: WebSocket, op: number, data: unknown): void {
  socket.send(JSON.stringify({ op, t: null, s: null, d: data }));
}

function parse(data: RawData) {
  try {
    const reply: unknown = JSON.parse(data.toString());
    return isFields(reply) ? reply : undefined;
  } catch {
    return undefined;
  }
}

/** Why the gateway closes the connection. */
interface Refused {
  code: number;
  reason: string;
}

/** Identifies a bot and the events it may receive. */
function identify(
  world: World,
  reply: unknown,
  guildsPerShard: number,
): Pick<Session, 'application' | 'intents' | 'shard'> | Refused {
  const request = isFields(reply) ? reply : {};
  const application = world.applicationsByToken.get(String(request.token).replace(/^Bot /, ''));
  if (application === undefined) return { code: closeCodes.authenticationFailed, reason: 'Authentication failed.' };
  const intents = Number(request.intents);
  if (!Number.isInteger(intents) || intents < 0 || (intents & ~knownIntents) !== 0) {
    return { code: closeCodes.invalidIntents, reason: 'Invalid intent(s).' };
  }
  if ((intents & privilegedIntents & ~application.privilegedIntents) !== 0) {
    return { code: closeCodes.disallowedIntents, reason: 'Disallowed intent(s).' };
  }
  const [id = 0, count = 1] = Array.isArray(request.shard) ? request.shard.map(Number) : [];
  if (!(id >= 0 && id < count)) return { code: closeCodes.invalidShard, reason: 'Invalid shard.' };
  const guilds = [...world.guilds.values()].filter(
    (guild) => guild.members.has(application.bot.id) && isOfShard(guild.id, [id, count]),
  );
  if (guilds.length > guildsPerShard) return { code: closeCodes.shardingRequired, reason: 'Sharding required.' };
  return { application, intents, shard: [id, count] };
}

const chunkSize = 1000;
const mostNamed = 100;

interface Found {
  members: readonly Member[];
  notFound: readonly string[];
}

/** Answers a request for members with chunks. The whole list requires the intent, and is rate-limited. */
function sendMembers(world: World, session: Session, request: unknown, limits: Limits, windows: Windows): void {
  if (!isFields(request)) return;
  const guild = world.guilds.get(String(request.guild_id));
  if (guild === undefined || !guild.members.has(session.application.bot.id)) return;
  const nonce = typeof request.nonce === 'string' && request.nonce.length <= 32 ? { nonce: request.nonce } : {};
  if (isForAll(request)) {
    if ((session.intents & intents.members) === 0) return;
    const rate = { limit: 1, windowSeconds: limits.memberRequestSeconds };
    const taken = windows.take(`members ${session.application.id} ${guild.id}`, rate);
    if (!taken.isAllowed) {
      const retryAfter = (taken.endsAtMs - world.clock()) / 1000;
      const meta = { guild_id: guild.id, ...nonce };
      session.dispatch('RATE_LIMITED', { opcode: opcodes.requestMembers, retry_after: retryAfter, meta });
      return;
    }
  }
  const { members, notFound } = findMembers(guild, request);
  const count = Math.max(1, Math.ceil(members.length / chunkSize));
  for (let index = 0; index < count; index += 1) {
    session.dispatch('GUILD_MEMBERS_CHUNK', {
      guild_id: guild.id,
      members: members.slice(index * chunkSize, (index + 1) * chunkSize).map((member) => viewMember(member)),
      chunk_index: index,
      chunk_count: count,
      ...(notFound.length === 0 ? {} : { not_found: notFound }),
      ...nonce,
    });
  }
}

function isForAll({ user_ids, query, limit }: Fields): boolean {
  return user_ids === undefined && query === '' && (limit ?? 0) === 0;
}

function findMembers(guild: Guild, request: Fields): Found {
  if (request.user_ids !== undefined) {
    const ids = [request.user_ids].flat().map(String).slice(0, mostNamed);
    return {
      members: ids.flatMap((id) => guild.members.get(id) ?? []),
      notFound: ids.filter((id) => !guild.members.has(id)),
    };
  }
  if (isForAll(request)) return { members: membersAfter(guild, '0', guild.members.size), notFound: [] };
  const limit = Math.min(mostNamed, Number(request.limit) || mostNamed);
  return { members: membersNamed(guild, String(request.query ?? ''), limit), notFound: [] };
}

const outlivesMs = 180_000;
/** Close codes by which a bot ends its session. */
const goodbyes = new Set([1000, 1001]);

/** All sessions of all bots. Each receives the events of its bot, also while disconnected. */
class Sessions {
  readonly #world: World;
  readonly #sessions = new Map<string, Session>();

  constructor(world: World) {
    this.#world = world;
    world.listen((happening) => {
      for (const session of this.#sessions.values()) {
        if (hears(world, session, happening)) session.dispatch(happening.type, happening.data(session));
      }
    });
  }

  open(who: Pick<Session, 'application' | 'intents' | 'shard'>, socket: WebSocket): Session {
    const session = new Session({ ...who, id: this.#world.nextToken('session'), socket });
    this.#sessions.set(session.id, session);
    return session;
  }

  /** A clean close ends the session. A client that is cut off, or leaves for another reason, may resume it. */
  leave(session: Session, socket: WebSocket, code: number): void {
    if (session.socket !== socket) return;
    session.socket = undefined;
    session.leftAtMs = this.#world.clock();
    if (goodbyes.has(code)) this.#sessions.delete(session.id);
  }

  connected(): Session[] {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== undefined);
  }

  endAllOf(application: Application): void {
    for (const [id, session] of this.#sessions) {
      if (session.application !== application) continue;
      this.#sessions.delete(id);
      session.socket?.close(closeCodes.authenticationFailed, 'Authentication failed.');
    }
  }

  /** Continues the session over another connection. Returns undefined if it is unknown, or does not reach that far back. */
  resume(id: string, token: string, sequence: number, socket: WebSocket): Session | undefined {
    this.#sweep();
    const session = this.#sessions.get(id);
    if (session === undefined || session.application.token !== token) return undefined;
    session.socket?.terminate();
    session.socket = socket;
    session.leftAtMs = undefined;
    if (!session.replay(sequence)) {
      this.#sessions.delete(id);
      return undefined;
    }
    session.dispatch('RESUMED', { _trace: [] });
    return session;
  }

  clear(): void {
    this.#sessions.clear();
  }

  #sweep(): void {
    for (const [id, { leftAtMs }] of this.#sessions) {
      if (leftAtMs !== undefined && leftAtMs + outlivesMs <= this.#world.clock()) this.#sessions.delete(id);
    }
  }
}

function hears(world: World, session: Session, { intent, guildId, applicationId, channel }: Happening): boolean {
  if (applicationId !== undefined && applicationId !== session.application.id) return false;
  if (intent !== 0 && (session.intents & intent) === 0) return false;
  if (guildId === undefined) return session.shard[0] === 0;
  const guild = world.guilds.get(guildId);
  const self = guild?.members.get(session.application.bot.id);
  if (guild === undefined || self === undefined || guild.isUnavailable || !session.holds(guildId)) return false;
  return channel === undefined || can(permissionsOf(guild, self, channel), 'VIEW_CHANNEL');
}
