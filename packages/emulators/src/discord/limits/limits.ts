import type { Rate } from '../../windows.ts';

/**
 * The buckets of the emulator. Discord does not publish its own, and tells clients to learn them from the headers. The values for members
 * are those that bots have observed.
 */
const buckets = {
  'member-write': { limit: 10, windowSeconds: 10 },
  'member-roles': { limit: 10, windowSeconds: 10 },
  'member-remove': { limit: 5, windowSeconds: 1 },
  'member-read': { limit: 50, windowSeconds: 1 },
  'member-list': { limit: 10, windowSeconds: 10 },
  'member-search': { limit: 10, windowSeconds: 10 },
  'role-write': { limit: 10, windowSeconds: 10 },
  'message-write': { limit: 5, windowSeconds: 5 },
  'message-edit': { limit: 5, windowSeconds: 5 },
  'message-delete': { limit: 5, windowSeconds: 1 },
  'webhook-write': { limit: 5, windowSeconds: 2 },
  'command-write': { limit: 20, windowSeconds: 60 },
  'invite-write': { limit: 5, windowSeconds: 15 },
  'role-connection': { limit: 10, windowSeconds: 60 },
  'role-connection-records': { limit: 20, windowSeconds: 60 },
  other: { limit: 50, windowSeconds: 1 },
} satisfies Record<string, Rate>;

export type BucketName = keyof typeof buckets;

export interface Limits {
  buckets: Record<BucketName, Rate>;
  /** The limit of all requests of one bot together. */
  globalPerSecond: number;
  /** Responses of 401, 403 and 429, after which everything is refused for the rest of the window. */
  invalidRequests: Rate;
  /** How often one guild's whole member list may be requested over the gateway. */
  memberRequestSeconds: number;
  /** What a gateway connection may send. */
  gatewaySends: Rate;
  /** How many shards are recommended to bots, and how many guilds one may have. */
  shards: number;
  guildsPerShard: number;
  /** How many sessions may start at the same time, one for each remainder of the shard number, and how long each blocks its slot. */
  maxConcurrency: number;
  identifySeconds: number;
  /** All sessions that a bot may start. One more ends all of them, and invalidates the bot's token. */
  sessionStarts: Rate;
  /** The lifetime of an authorization code. */
  codeSeconds: number;
}

export interface LimitOptions extends Partial<Omit<Limits, 'buckets'>> {
  buckets?: Partial<Record<BucketName, Rate>>;
}

export function createLimits(options: LimitOptions = {}): Limits {
  return {
    globalPerSecond: 50,
    invalidRequests: { limit: 10_000, windowSeconds: 600 },
    memberRequestSeconds: 30,
    gatewaySends: { limit: 120, windowSeconds: 60 },
    shards: 1,
    guildsPerShard: 2_500,
    maxConcurrency: 1,
    identifySeconds: 5,
    sessionStarts: { limit: 1000, windowSeconds: 24 * 60 * 60 },
    codeSeconds: 60,
    ...options,
    buckets: { ...buckets, ...options.buckets },
  };
}
