import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { createSnowflakes } from '../snowflake.ts';
import type { Application, Bearer, Channel, Guild, Interaction, Message, Snowflake, User } from './types.ts';

/** An event that the gateway sends to the bots. */
export interface Happening {
  /** Discord's name for it, such as `GUILD_MEMBER_UPDATE`. */
  type: string;
  /** The intent that a bot must have requested, as a bit. 0 for events that are always sent. */
  intent: number;
  /** Only sent to the bots of this guild. */
  guildId?: Snowflake;
  /** Only sent to this application. */
  applicationId?: Snowflake;
  /** Only sent to bots that can see this channel. */
  channel?: Channel;
  /** Built only when there are listeners. */
  data: (listener: Listener) => unknown;
}

/** A bot on the gateway. */
export interface Listener {
  application: Application;
  intents: number;
}

/** The state of the emulator. Functions change it and emit events. */
export class World {
  readonly users = new Map<Snowflake, User>();
  readonly guilds = new Map<Snowflake, Guild>();
  /** Channels of all guilds, and the direct ones. */
  readonly channels = new Map<Snowflake, Channel>();
  /** By the ids of the application and the user. */
  readonly directChannels = new Map<string, Channel>();
  readonly applications = new Map<Snowflake, Application>();
  readonly applicationsByToken = new Map<string, Application>();
  /** Access tokens of users who signed in with Discord. */
  readonly bearers = new Map<string, Bearer>();
  /** By token. */
  readonly interactions = new Map<string, Interaction>();
  /** The messages that bots sent, oldest first, including deleted ones. */
  readonly sent: Message[] = [];
  /** What happens to new lists of users of invites; undefined if they are completed at once. */
  heldTargetUsers: 'processing' | 'failed' | undefined = undefined;
  /** The URL of the emulator, once it listens. */
  origin = '';
  readonly clock: Clock;
  /** Discord waits three seconds for an application's response. */
  readonly answerWithinMs: number;
  readonly nextId: () => Snowflake;
  readonly #seed: string;
  readonly #listeners = new Set<(happening: Happening) => void>();
  #tokens = 0;

  constructor(clock: Clock, seed: string, answerWithinMs = 3_000) {
    this.clock = clock;
    this.answerWithinMs = answerWithinMs;
    this.nextId = createSnowflakes(clock);
    this.#seed = seed;
  }

  /** Returns a text that cannot be guessed without the seed: a token, a key, a session. */
  nextToken(what: string): string {
    this.#tokens += 1;
    return this.derive(`${what} ${this.#tokens}`).toString('base64url');
  }

  derive(what: string): Buffer {
    return createHash('sha256').update(`${this.#seed}\n${what}`).digest();
  }

  nowIso(): string {
    return new Date(this.clock()).toISOString();
  }

  listen(listener: (happening: Happening) => void): void {
    this.#listeners.add(listener);
  }

  dispatch(happening: Happening): void {
    for (const listener of this.#listeners) listener(happening);
  }
}
