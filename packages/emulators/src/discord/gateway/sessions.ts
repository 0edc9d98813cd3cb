import type { WebSocket } from 'ws';
import { can, permissionsOf } from '../permissions.ts';
import type { Application } from '../state/types.ts';
import type { Happening, World } from '../state/world.ts';
import { closeCodes, Session } from './session.ts';

const outlivesMs = 180_000;
/** Close codes by which a bot ends its session. */
const goodbyes = new Set([1000, 1001]);

/** All sessions of all bots. Each hears what its bot may know, also while its connection is gone. */
export class Sessions {
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

  /** Who says goodbye has ended the session; whoever is cut off, or leaves for another reason, may come back to it. */
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

  /** The session goes on over another connection. Undefined when it is not known, or not so far back. */
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
  if (guild === undefined || self === undefined || !session.holds(guildId)) return false;
  return channel === undefined || can(permissionsOf(guild, self, channel), 'VIEW_CHANNEL');
}
