import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Misbehaviours } from '../../misbehave.ts';
import { Windows } from '../../windows.ts';
import { isFields } from '../fields.ts';
import type { Limits } from '../limits/limits.ts';
import { resetToken } from '../state/applications.ts';
import type { World } from '../state/world.ts';
import { viewJoinedGuild, viewUser } from '../views.ts';
import { identify, type Refused } from './identify.ts';
import { sendMembers } from './send-members.ts';
import { closeCodes, opcodes, Session } from './session.ts';
import { SessionStarts } from './session-starts.ts';
import { Sessions } from './sessions.ts';

const heartbeatMs = 41_250;
const largestBytes = 15 * 1024;

interface Parts {
  world: World;
  limits: Limits;
  misbehaviours: Misbehaviours;
  url: () => string;
}

/** The gateway: what happens, told to the bots over WebSockets. */
export class Gateway {
  /** How many sessions each bot may still begin. */
  readonly starts: SessionStarts;
  /** What bots began and went on with so far. */
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

  /** Bots that are connected now. */
  connections(): number {
    return this.#server.clients.size;
  }

  /** Hangs up on everybody, with this code. They may resume. */
  disconnect(code = 4000): void {
    for (const socket of this.#server.clients) socket.close(code);
  }

  /** Which shards are connected now, each as often as it has a connection. */
  shards(): number[] {
    return this.#sessions.connected().map(({ shard: [id] }) => id);
  }

  /** Asks everybody to connect anew, as Discord does before it restarts a machine. */
  askToReconnect(): void {
    for (const socket of this.#server.clients) send(socket, opcodes.reconnect, null);
  }

  /** Forgets all sessions, so that nobody can resume. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  /** Cuts all connections without a word. */
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
    else this.#server.handleUpgrade(request, socket, head, (opened) => this.#welcome(opened));
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

  /** Does what a bot says: answers its new session, or why to hang up. */
  #take(socket: WebSocket, session: Session | undefined, data: RawData): Session | Refused | undefined {
    const said = parse(data);
    if (said === undefined) return { code: closeCodes.decodeError, reason: 'Error while decoding payload.' };
    if (said.op === opcodes.heartbeat) {
      const isDeaf = this.#parts.misbehaviours.strike('hang', 'GATEWAY heartbeat') !== undefined;
      if (!isDeaf) send(socket, opcodes.heartbeatAck, null);
      return undefined;
    }
    if (said.op === opcodes.identify || said.op === opcodes.resume) {
      if (session) return { code: closeCodes.alreadyAuthenticated, reason: 'Already authenticated.' };
      const closing = this.#parts.misbehaviours.strike('close', 'GATEWAY begin');
      if (closing) return { code: closing.code, reason: 'The emulator was told to hang up.' };
      return said.op === opcodes.identify ? this.#begin(socket, said.d) : this.#resume(socket, said.d);
    }
    if (session === undefined) return { code: closeCodes.notAuthenticated, reason: 'Not authenticated.' };
    if (said.op === opcodes.requestMembers) {
      sendMembers(this.#parts.world, session, said.d, this.#parts.limits, this.#windows);
    } else if (said.op !== opcodes.presence && said.op !== opcodes.voice) {
      return { code: closeCodes.unknownOpcode, reason: 'Unknown opcode.' };
    }
    return undefined;
  }

  #begin(socket: WebSocket, said: unknown): Session | Refused | undefined {
    const { world, url, limits } = this.#parts;
    const asked = identify(world, said, limits.guildsPerShard);
    if ('code' in asked) return asked;
    const start = this.starts.take(asked.application, asked.shard[0]);
    if (start === 'too-soon') {
      this.metrics.refused += 1;
      send(socket, opcodes.invalidSession, false);
      return undefined;
    }
    if (start === 'used-up') {
      this.#sessions.endAllOf(asked.application);
      resetToken(world, asked.application);
      return { code: closeCodes.authenticationFailed, reason: 'Authentication failed.' };
    }
    this.metrics.identified += 1;
    const session = this.#sessions.open(asked, socket);
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
    for (const guild of guilds) session.dispatch('GUILD_CREATE', viewJoinedGuild(guild, application));
    return session;
  }

  #resume(socket: WebSocket, said: unknown): Session | undefined {
    const asked = isFields(said) ? said : {};
    const session = this.#sessions.resume(String(asked.session_id), String(asked.token), Number(asked.seq), socket);
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
    const said: unknown = JSON.parse(data.toString());
    return isFields(said) ? said : undefined;
  } catch {
    return undefined;
  }
}
