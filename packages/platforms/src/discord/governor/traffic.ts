import { Bucket, type BucketPace, type BucketReading } from './bucket.ts';
import { Lane, type Turn } from './lane.ts';
import type { Route } from './route.ts';

const maxBuckets = 5_000;
/** No call is overtaken by one that was requested more than this much later. */
const mostOvertakenMs = 20_000;

export interface Ready {
  calls: number;
  /** The number of calls other than checks of finished writes. */
  urgent: number;
  /** Whether urgent calls are left, including those that wait for a bucket. */
  isUrgentLeft: boolean;
}

interface Candidate {
  lane: Lane;
  turn: Turn;
  /** The earlier, the sooner it is sent. */
  latestStartMs: number;
}

/** Which calls are waiting, and which bucket each of them counts in. */
export class Traffic {
  readonly #lanes = new Map<string, Lane>();
  readonly #buckets = new Map<string, Bucket>();
  readonly #hashes = new Map<string, string>();
  /** The last observed pace of the buckets of a hash. */
  readonly #paces = new Map<string, BucketPace>();
  readonly #marginMs: number;

  constructor(marginMs: number) {
    this.#marginMs = marginMs;
  }

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  laneOf(route: Route): Lane {
    const key = keyOf(route);
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(route, this.bucketOf(route));
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Until a response names its bucket, a route has its own. */
  bucketOf(route: Route): Bucket {
    const key = `${this.#hashes.get(route.template) ?? route.template}|${route.major}`;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= maxBuckets) this.#forgetIdleBuckets();
      bucket = new Bucket(this.#marginMs);
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  learn(route: Route, reading: BucketReading, nowMs: number): void {
    if (this.#hashes.get(route.template) !== reading.hash) this.#rename(route.template, reading.hash);
    const bucket = this.bucketOf(route);
    bucket.learn(reading, nowMs);
    if (bucket.pace !== undefined) this.#paces.set(reading.hash, bucket.pace);
  }

  // Buckets of single routes become those of the hash; calls in flight stay counted in them.
  #rename(template: string, hash: string): void {
    this.#hashes.set(template, hash);
    for (const [key, bucket] of [...this.#buckets]) {
      if (!key.startsWith(`${template}|`)) continue;
      this.#buckets.delete(key);
      const shared = `${hash}${key.slice(template.length)}`;
      const known = this.#buckets.get(shared);
      if (known === undefined) this.#buckets.set(shared, bucket);
      else if (known !== bucket) known.absorb(bucket);
    }
    for (const lane of this.#lanes.values()) lane.bucket = this.bucketOf(lane.route);
  }

  /** Returns every bucket that must have room before a call of the route may be sent. */
  gatesOf(route: Route): readonly Bucket[] {
    const own = this.bucketOf(route);
    if (own.isKnown) return [own];
    // The first call of a route may turn out to count in a bucket of a neighboring route, so it waits for all of them, and they wait for
    // it.
    const isKnownRoute = this.#hashes.has(route.template);
    const suffix = `|${route.major}`;
    const neighbours = [...this.#buckets].filter(([key]) => key.endsWith(suffix) && !(isKnownRoute && isHash(key)));
    return [own, ...neighbours.map(([, bucket]) => bucket).filter((bucket) => bucket !== own)];
  }

  /**
   * Returns the next call to send, of those that no bucket holds up: the one whose bucket will delay the calls behind it the longest. If
   * long queues came last, only their buckets would decide the pace at the end.
   */
  next(nowMs: number, isOpenOverall: boolean): Candidate | undefined {
    const waiting = this.#countByBucket();
    let best: Candidate | undefined;
    for (const lane of this.#lanes.values()) {
      const turn = lane.first();
      if (turn === undefined || !(isOpenOverall || lane.route.isExemptFromGlobal)) continue;
      const usual = this.#paces.get(this.#hashes.get(lane.route.template) ?? '');
      const needMs = lane.bucket.needMs(waiting.get(lane.bucket) ?? 0, nowMs, usual);
      const candidate = { lane, turn, latestStartMs: turn.requestedAtMs - Math.min(needMs, mostOvertakenMs) };
      if (best !== undefined && !goesBefore(candidate, best)) continue;
      if (this.gatesOf(lane.route).every((bucket) => bucket.spare(nowMs) > 0)) best = candidate;
    }
    return best;
  }

  #countByBucket(): Map<Bucket, number> {
    const waiting = new Map<Bucket, number>();
    for (const { bucket, size } of this.#lanes.values()) waiting.set(bucket, (waiting.get(bucket) ?? 0) + size);
    return waiting;
  }

  /** Returns the next moment at which a bucket that holds up a call opens. */
  opensAtMs(nowMs: number): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      for (const bucket of this.gatesOf(lane.route)) {
        const atMs = bucket.opensAtMs(nowMs) ?? Number.POSITIVE_INFINITY;
        if (atMs > nowMs && atMs < soonest) soonest = atMs;
      }
    }
    return soonest;
  }

  /** Counts the calls towards the limit over all routes: those that no bucket holds up, and whether anything urgent is waiting. */
  countReady(nowMs: number): Ready {
    const ready: Ready = { calls: 0, urgent: 0, isUrgentLeft: false };
    for (const lane of this.#lanes.values()) {
      if (lane.route.isExemptFromGlobal || lane.isEmpty) continue;
      const room = Math.max(0, Math.min(...this.gatesOf(lane.route).map((bucket) => bucket.spare(nowMs))));
      ready.calls += Math.min(lane.size, room);
      ready.urgent += Math.min(lane.urgentSize, room);
      ready.isUrgentLeft ||= lane.urgentSize > 0;
    }
    return ready;
  }

  /** Closes a route that another process found rate-limited, if it is used here. */
  block(key: string, untilMs: number): void {
    const lane = this.#lanes.get(key);
    if (lane !== undefined) lane.bucket.blockedUntilMs = Math.max(lane.bucket.blockedUntilMs, untilMs);
  }

  removeEmptyLanes(): void {
    for (const [key, lane] of this.#lanes) if (lane.isEmpty) this.#lanes.delete(key);
  }

  clear(): Turn[] {
    const turns = [...this.#lanes.values()].flatMap((lane) => lane.clear());
    this.#lanes.clear();
    return turns;
  }

  // Every webhook has its own bucket, so idle ones would accumulate without end.
  #forgetIdleBuckets(): void {
    const used = new Set([...this.#lanes.values()].map((lane) => lane.bucket));
    for (const [key, bucket] of this.#buckets)
      if (bucket.inFlight === 0 && !used.has(bucket)) this.#buckets.delete(key);
  }
}

export function keyOf({ template, major }: Route): string {
  return `${template}|${major}`;
}

/** Buckets are keyed by their hash, or by a route whose hash is not known yet. */
function isHash(key: string): boolean {
  return !key.includes(' ');
}

function goesBefore(a: Candidate, b: Candidate): boolean {
  if (a.turn.priority !== b.turn.priority) return a.turn.priority < b.turn.priority;
  return a.latestStartMs === b.latestStartMs ? a.turn.order < b.turn.order : a.latestStartMs < b.latestStartMs;
}
