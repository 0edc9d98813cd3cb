import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { type Taken, Windows } from '../../windows.ts';
import { json, type Reply } from '../reply.ts';
import type { BucketName, Limits } from './limits.ts';

type Headers = Record<string, string>;

/** The caller and route of a request, as far as limits are concerned. */
export interface LimitedRequest {
  /** The bot or the user; undefined for interaction tokens, which have no global limit. */
  caller: string | undefined;
  bucket: BucketName;
  /** The guild, channel or webhook of the path: each has its own bucket. */
  majorId: string;
}

export type Verdict = { kind: 'pass'; headers: Headers } | { kind: 'refused'; reply: Reply };

const messageOf = {
  user: 'You are being rate limited.',
  global: 'You are being rate limited.',
  shared: 'The resource is being rate limited.',
} as const;

/** Discord's request limits: the bot's global limit, the buckets of routes, and the ban for too many invalid requests. */
export class RequestLimits {
  readonly limits: Limits;
  readonly #clock: Clock;
  readonly #windows: Windows;
  readonly #invalid: Windows;
  readonly #hashes = new Map<BucketName, string>();
  #bannedUntilMs = 0;

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.limits = limits;
    this.#windows = new Windows(clock);
    this.#invalid = new Windows(clock);
  }

  take({ caller, bucket, majorId }: LimitedRequest): Verdict {
    if (caller !== undefined) {
      const global = this.#windows.take(`global ${caller}`, { limit: this.limits.globalPerSecond, windowSeconds: 1 });
      if (!global.isAllowed) return { kind: 'refused', reply: this.#tooMany(global.endsAtMs, 'global') };
    }
    const rate = this.limits.buckets[bucket];
    const taken = this.#windows.take(`${bucket} ${majorId} ${caller ?? ''}`, rate);
    const headers = this.#headers(bucket, rate.limit, taken);
    if (taken.isAllowed) return { kind: 'pass', headers };
    return { kind: 'refused', reply: this.#tooMany(taken.endsAtMs, 'user', headers) };
  }

  /** Returns a rate limit that the caller did not cause. */
  refuse(retryAfterSeconds: number, scope: 'user' | 'shared' | 'global', bucket: BucketName): Reply {
    const endsAtMs = this.#clock() + retryAfterSeconds * 1000;
    // A shared limit belongs to the resource: the caller's own bucket has room, and its headers say so.
    const { limit, windowSeconds } = this.limits.buckets[bucket];
    const remaining = Math.max(0, limit - 1);
    const own = { isAllowed: true, remaining, endsAtMs: this.#clock() + windowSeconds * 1000 };
    return this.#tooMany(endsAtMs, scope, scope === 'shared' ? this.#headers(bucket, limit, own) : {});
  }

  /** Counts a response, and bans the caller's IP address if it was one invalid request too many. */
  countInvalid(reply: Reply): boolean {
    const isInvalid = reply.status === 401 || reply.status === 403 || reply.status === 429;
    if (!isInvalid || reply.headers?.['x-ratelimit-scope'] === 'shared') return false;
    const { remaining, endsAtMs } = this.#invalid.take('address', this.limits.invalidRequests);
    if (remaining === 0) this.#bannedUntilMs = endsAtMs;
    return true;
  }

  /** Returns the page of the proxy in front of Discord while the ban lasts. */
  banPage(): Reply | undefined {
    const leftMs = this.#bannedUntilMs - this.#clock();
    if (leftMs <= 0) return undefined;
    return {
      status: 429,
      headers: { 'content-type': 'text/html; charset=UTF-8', 'retry-after': String(Math.ceil(leftMs / 1000)) },
      body: '<!DOCTYPE html><html><head><title>Access denied</title></head><body><h1>Error 1015</h1><p>You are being rate limited.</p></body></html>\n',
    };
  }

  #tooMany(endsAtMs: number, scope: 'user' | 'shared' | 'global', headers: Headers = {}): Reply {
    const seconds = Math.max(0.001, Math.ceil(endsAtMs - this.#clock()) / 1000);
    const isGlobal = scope === 'global';
    return json(
      429,
      { message: messageOf[scope], retry_after: seconds, global: isGlobal },
      {
        ...headers,
        'retry-after': String(Math.ceil(seconds)),
        'x-ratelimit-scope': scope,
        ...(isGlobal ? { 'x-ratelimit-global': 'true' } : {}),
      },
    );
  }

  #headers(bucket: BucketName, limit: number, { remaining, endsAtMs }: Taken): Headers {
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': (endsAtMs / 1000).toFixed(3),
      'x-ratelimit-reset-after': (Math.ceil(endsAtMs - this.#clock()) / 1000).toFixed(3),
      'x-ratelimit-bucket': this.#hashOf(bucket),
    };
  }

  #hashOf(bucket: BucketName): string {
    const known = this.#hashes.get(bucket);
    if (known !== undefined) return known;
    const hash = createHash('md5').update(bucket).digest('hex');
    this.#hashes.set(bucket, hash);
    return hash;
  }
}
