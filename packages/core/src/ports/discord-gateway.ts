import type { DiscordEvent } from './discord.ts';

/** A session of one shard, and how far its events were taken in. Any process with the bot's token can go on with it. */
export interface ShardSession {
  sessionId: string;
  resumeUrl: string;
  sequence: number;
}

/** How Discord wants the gateway to be opened. */
export interface GatewayInfo {
  shards: number;
  /** How many sessions may begin at a time: one for each remainder of the shard's number. */
  maxConcurrency: number;
  /** How many sessions may begin in a day. Discord resets the token of a bot that begins more. */
  sessionStarts: { total: number; remaining: number; resetAfterMs: number };
}

export interface ShardOptions {
  shardId: number;
  shardCount: number;
  /** Where to resume. Without it a new session begins. */
  session: ShardSession | undefined;
  /** Resolves when a new session may begin. It rejects only if the signal is aborted. */
  mayBegin(signal: AbortSignal): Promise<void>;
  /** Called in the order of events; with undefined for irrelevant ones. */
  onEvent(event: DiscordEvent | undefined, session: ShardSession): void;
  /**
   * Discord does not let the shard in, and will not by trying at once. With a fatal close code it never will until a person
   * changes something, and the shard must not be opened again.
   */
  onFailed(reason: string, fatalCloseCode?: number): void;
}

export interface OpenShard {
  /** Leaves so that the session can be resumed elsewhere. No events are delivered from the call on. */
  close(): Promise<void>;
}

/** What happens in the guilds of a bot, shard by shard. */
export interface DiscordGateway {
  /** Asks Discord each time. */
  readGatewayInfo(): Promise<GatewayInfo>;
  /** Opens one shard, and opens it again after interruptions until it is closed. */
  openShard(options: ShardOptions): OpenShard;
}
