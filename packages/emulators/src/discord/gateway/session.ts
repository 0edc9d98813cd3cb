import type { WebSocket } from 'ws';
import type { Application, Snowflake } from '../state/types.ts';
import type { Listener } from '../state/world.ts';

export const opcodes = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voice: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const;

/** The gateway's close codes. */
export const closeCodes = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  rateLimited: 4008,
  invalidShard: 4010,
  shardingRequired: 4011,
  invalidVersion: 4012,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const;

const mostKept = 10_000;

/** A bot's session. It outlives its connection for a while, and buffers events meanwhile. */
export class Session implements Listener {
  readonly id: string;
  readonly application: Application;
  readonly intents: number;
  readonly shard: readonly [id: number, count: number];
  socket: WebSocket | undefined;
  /** When the connection was lost; undefined while connected. */
  leftAtMs: number | undefined;
  #sequence = 0;
  #kept: { sequence: number; text: string }[] = [];

  constructor(options: Pick<Session, 'id' | 'application' | 'intents' | 'shard' | 'socket'>) {
    this.id = options.id;
    this.application = options.application;
    this.intents = options.intents;
    this.shard = options.shard;
    this.socket = options.socket;
  }

  dispatch(type: string, data: unknown): void {
    this.#sequence += 1;
    const text = JSON.stringify({ op: opcodes.dispatch, t: type, s: this.#sequence, d: data });
    this.#kept.push({ sequence: this.#sequence, text });
    if (this.#kept.length > mostKept) this.#kept = this.#kept.slice(-mostKept / 2);
    this.socket?.send(text);
  }

  /** Replays the events after `sequence`. Returns false if they are no longer known, or never were. */
  replay(sequence: number): boolean {
    const oldest = this.#kept[0]?.sequence ?? this.#sequence + 1;
    if (sequence > this.#sequence || sequence < oldest - 1) return false;
    for (const kept of this.#kept) if (kept.sequence > sequence) this.socket?.send(kept.text);
    return true;
  }

  /** Guilds are distributed over shards by their ids. */
  holds(guildId: Snowflake): boolean {
    return isOfShard(guildId, this.shard);
  }
}

export function isOfShard(guildId: Snowflake, [id, count]: Session['shard']): boolean {
  return count <= 1 || Number((BigInt(guildId) >> 22n) % BigInt(count)) === id;
}
