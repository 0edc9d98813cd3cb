import type { DiscordEvent } from './discord.ts';

/**
 * A session of one shard, and the position up to which its events were processed. Any process with the bot's token can
 * resume it.
 */
export interface ShardSession {
  sessionId: string;
  resumeUrl: string;
  sequence: number;
}

/** How Discord wants the gateway to be opened. */
export interface GatewayInfo {
  shards: number;
  /** How many sessions may start at the same time: one per bucket, which is the shard id modulo this number. */
  maxConcurrency: number;
  /** How many sessions may start per day. Discord resets the token of a bot that starts more. */
  sessionStarts: { total: number; remaining: number; resetAfterMs: number };
}

export interface ShardOptions {
  shardId: number;
  shardCount: number;
  /** Where to resume. If undefined, a new session starts. */
  session: ShardSession | undefined;
  /** Resolves when a new session may start. Rejects only if the signal is aborted. */
  mayBegin(signal: AbortSignal): Promise<void>;
  /** Called in the order of events; with undefined for irrelevant ones. */
  onEvent(event: DiscordEvent | undefined, session: ShardSession): void;
  /**
   * Discord rejects the shard, and an immediate retry will not help. With a fatal close code it stays rejected until
   * the operator changes something, and the shard must not be opened again.
   */
  onFailed(reason: string, fatalCloseCode?: number): void;
}

export interface OpenShard {
  /** Disconnects so that the session can be resumed elsewhere. No events are delivered after this call. */
  close(): Promise<void>;
}

/** The events in a bot's guilds, by shard. */
export interface DiscordGateway {
  /** Not cached: calls Discord each time. */
  readGatewayInfo(): Promise<GatewayInfo>;
  /** Opens one shard, and reopens it after interruptions until it is closed. */
  openShard(options: ShardOptions): OpenShard;
}
