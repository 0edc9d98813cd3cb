/** What the headers of a response say about its bucket. */
export interface BucketReading {
  hash: string;
  limit: number;
  remaining: number;
  resetAfterMs: number;
  /** When the window ends by the platform's clock: distinguishes responses of one window from those of the next. */
  resetId: number;
}

/** Parses the rate limit headers; undefined if the response has none, like those of proxies and of some routes. */
export function readBucket(headers: Pick<Headers, 'get'>): BucketReading | undefined {
  const hash = headers.get('x-ratelimit-bucket');
  const limit = Number(headers.get('x-ratelimit-limit') ?? Number.NaN);
  const remaining = Number(headers.get('x-ratelimit-remaining') ?? Number.NaN);
  const resetAfterMs = Number(headers.get('x-ratelimit-reset-after') ?? Number.NaN) * 1000;
  const resetId = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1000;
  if (hash === null || ![limit, remaining, resetAfterMs].every(Number.isFinite) || limit < 1) return undefined;
  return { hash, limit, remaining, resetAfterMs, resetId: Number.isFinite(resetId) ? resetId : 0 };
}

/** How many calls a bucket allows, and how long until it allows as many again. */
export interface BucketPace {
  limit: number;
  windowMs: number;
}

// Responses of one window agree on its end to the millisecond; windows are at least a second long.
const sameWindowMs = 200;

/**
 * Tracks how many calls one bucket still allows. It is pessimistic: calls in flight count as used until their response says otherwise, and
 * the window ends when the platform's must have ended, however long the response took.
 */
export class Bucket {
  inFlight = 0;
  blockedUntilMs = 0;
  #limit: number | undefined;
  #remaining = 1;
  #windowId = 0;
  #windowMs = 0;
  #endsAtMs: number | undefined;
  readonly #marginMs: number;
  #absorbed: Bucket[] = [];

  constructor(marginMs: number) {
    this.#marginMs = marginMs;
  }

  /** False until a response contained the limit. */
  get isKnown(): boolean {
    return this.#limit !== undefined;
  }

  get pace(): BucketPace | undefined {
    return this.#limit === undefined ? undefined : { limit: this.#limit, windowMs: this.#windowMs };
  }

  /** Returns how many more calls may be sent now. An unknown bucket is probed with one. */
  spare(nowMs: number): number {
    if (this.blockedUntilMs > nowMs) return 0;
    this.#roll(nowMs);
    this.#absorbed = this.#absorbed.filter((bucket) => bucket.inFlight > 0);
    return this.#absorbed.reduce((spare, bucket) => spare - bucket.inFlight, this.#remaining - this.inFlight);
  }

  /** Counts calls in flight from another bucket that turns out to be this one, until they are answered. */
  absorb(other: Bucket): void {
    this.#absorbed.push(other);
  }

  /** Returns when to check again after `spare` was 0; undefined if only a response can change it. */
  opensAtMs(nowMs: number): number | undefined {
    if (this.blockedUntilMs > nowMs) return this.blockedUntilMs;
    return this.#endsAtMs === undefined ? undefined : this.#endsAtMs + this.#marginMs;
  }

  /** Returns how long this bucket alone delays the last of the given number of calls. `usual` is the pace of buckets of its kind. */
  needMs(calls: number, nowMs: number, usual: BucketPace | undefined): number {
    const pace = this.pace ?? usual;
    if (pace === undefined || calls === 0) return 0;
    const room = this.isKnown ? Math.max(0, this.spare(nowMs)) : pace.limit;
    const opensInMs = Math.max(0, (this.opensAtMs(nowMs) ?? nowMs + pace.windowMs) - nowMs);
    return calls <= room ? 0 : opensInMs + Math.floor((calls - room - 1) / pace.limit) * pace.windowMs;
  }

  learn(reading: BucketReading, nowMs: number): void {
    const endsAtMs = nowMs + reading.resetAfterMs;
    const id = reading.resetId === 0 ? endsAtMs : reading.resetId;
    if (id < this.#windowId - sameWindowMs) return;
    const isNew = id > this.#windowId + sameWindowMs;
    this.#windowMs = Math.max(isNew ? 0 : this.#windowMs, reading.resetAfterMs);
    this.#remaining = isNew ? reading.remaining : Math.min(this.#remaining, reading.remaining);
    this.#endsAtMs = isNew || this.#endsAtMs === undefined ? endsAtMs : Math.min(this.#endsAtMs, endsAtMs);
    this.#windowId = isNew ? id : this.#windowId;
    this.#limit = reading.limit;
  }

  /** A call whose response had no headers may still have been counted. */
  learnNothing(nowMs: number): void {
    if (this.#limit === undefined) return;
    this.#remaining -= 1;
    this.#endsAtMs ??= nowMs + this.#windowMs;
  }

  #roll(nowMs: number): void {
    if (this.#limit === undefined || this.#endsAtMs === undefined) return;
    if (nowMs < this.#endsAtMs + this.#marginMs) return;
    this.#remaining = this.#limit;
    this.#endsAtMs = undefined;
    // A late response of the previous window must not close the new one.
    this.#windowId += sameWindowMs + 1;
  }
}
