import type { CallBudget } from '@latchkey/core/ports';
import { type Bucket, readBucket } from './bucket.ts';
import { GlobalLimit } from './global-limit.ts';
import { type Priority, priorities, type Turn } from './lane.ts';
import type { Route } from './route.ts';
import { SharedLimit } from './shared-limit.ts';
import { monotonicTime, type Time } from './time.ts';
import { keyOf, Traffic } from './traffic.ts';

/** As much of an answer as limits are learned from. */
export interface Answered {
  status: number;
  headers: Pick<Headers, 'get'>;
}

export interface GovernedCall {
  route: Route;
  priority: Priority;
  signal?: AbortSignal | undefined;
}

export interface GovernorOptions {
  time?: Time;
  /** What this process may use of the 50 calls a second that a bot has, if it shares them with no other process. */
  callsPerSecond?: number;
  /** Shares the 50 calls a second with other processes. */
  budget?: CallBudget | undefined;
  /** Nothing more is sent after so many answers of 401, 403 and 429 in ten minutes. */
  maxInvalidCalls?: number;
  /** Added to every wait, for clocks that differ in speed and headers that are rounded. */
  marginMs?: number;
}

/** The budget of refused calls is used up; the platform would ban the address soon after. */
export class GovernorPaused extends Error {
  override readonly name = 'GovernorPaused';
  readonly retryAfterSeconds: number;

  constructor(pauseMs: number) {
    super('Discord rejected too many requests within ten minutes; requests are paused.');
    this.retryAfterSeconds = Math.max(1, Math.ceil(pauseMs / 1000));
  }
}

const maxRateLimitedTimes = 5;

/** Sends each call as early as the limits allow and not earlier. It is the only place that waits for Discord's limits. */
export class Governor {
  readonly metrics = { sent: 0, rateLimited: 0, invalid: 0 };
  readonly time: Time;
  readonly #traffic: Traffic;
  readonly #overall: GlobalLimit;
  readonly #shared: SharedLimit | undefined;
  readonly #invalid: InvalidBudget;
  readonly #marginMs: number;
  #order = 0;
  #wakesAtMs = Number.POSITIVE_INFINITY;

  constructor({
    time = monotonicTime,
    callsPerSecond = 50,
    budget,
    maxInvalidCalls = 500,
    marginMs = 10,
  }: GovernorOptions = {}) {
    this.time = time;
    this.#marginMs = marginMs;
    this.#traffic = new Traffic(marginMs);
    this.#shared = budget && this.#share(budget);
    this.#overall = this.#shared ?? new GlobalLimit(callsPerSecond, marginMs);
    this.#invalid = new InvalidBudget(maxInvalidCalls);
  }

  /** What may still be sent: in this second, and refused within ten minutes. */
  budget(): { callsPerSecond: number; callsLeft: number; refusalsLeft: number } {
    const nowMs = this.time.nowMs();
    return {
      callsPerSecond: this.#overall.places(nowMs),
      callsLeft: Math.max(0, this.#overall.spare(nowMs)),
      refusalsLeft: this.#invalid.left(nowMs),
    };
  }

  #share(budget: CallBudget): SharedLimit {
    return new SharedLimit({
      budget,
      time: this.time,
      marginMs: this.#marginMs,
      ready: (nowMs) => this.#traffic.countReady(nowMs),
      changed: () => this.#pump(),
      blocked: (route, untilMs) => this.#traffic.block(route, untilMs),
    });
  }

  /** Sends when no limit known to it can be broken by it. A call answered with 429 was not done: it is sent again later. */
  run<Answer extends Answered>(call: GovernedCall, send: () => Promise<Answer>): Promise<Answer> {
    const { route, signal } = call;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const turn: Turn = {
      order: this.#order++,
      askedAtMs: this.time.nowMs(),
      priority: priorities[call.priority],
      rateLimitedTimes: 0,
      refuse: reject,
      start: () => void this.#send(call, turn, send).then((answer) => answer && resolve(answer), reject),
    };
    const giveUp = () => {
      if (this.#traffic.laneOf(route).take(turn)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#traffic.laneOf(route).add(turn);
    this.#pump();
    return promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  /** Answers nothing when the call has to wait for another turn. */
  async #send<Answer extends Answered>(
    { route, signal }: GovernedCall,
    turn: Turn,
    send: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const gates = this.#traffic.gatesOf(route);
    for (const bucket of gates) bucket.inFlight += 1;
    if (!route.isExemptFromGlobal) this.#overall.take(turn.priority);
    this.metrics.sent += 1;
    let answer: Answer | undefined;
    try {
      answer = await send();
      return this.#isSentBack(answer, turn, signal) ? undefined : answer;
    } finally {
      for (const bucket of gates) bucket.inFlight -= 1;
      if (!route.isExemptFromGlobal) this.#overall.giveBack(turn.priority, this.time.nowMs());
      this.#learn(route, gates, answer);
      if (answer !== undefined && this.#isSentBack(answer, turn, signal)) {
        turn.rateLimitedTimes += 1;
        this.#traffic.laneOf(route).putBack(turn);
      }
      this.#pump();
    }
  }

  #isSentBack({ status }: Answered, turn: Turn, signal: AbortSignal | undefined): boolean {
    return status === 429 && turn.rateLimitedTimes < maxRateLimitedTimes && !signal?.aborted;
  }

  #learn(route: Route, gates: readonly Bucket[], answer: Answered | undefined): void {
    const reading = answer && readBucket(answer.headers);
    if (reading === undefined) for (const bucket of gates) bucket.learnNothing(this.time.nowMs());
    else this.#traffic.learn(route, reading, this.time.nowMs());
    if (answer !== undefined) this.#noteRefusal(route, answer);
  }

  #noteRefusal(route: Route, { status, headers }: Answered): void {
    if (status !== 401 && status !== 403 && status !== 429) return;
    const nowMs = this.time.nowMs();
    const scope = headers.get('x-ratelimit-scope');
    // Limits of a resource that others use as well are not held against the caller.
    if (scope !== 'shared') {
      this.#invalid.note(nowMs);
      this.#shared?.noteRefusal();
      this.metrics.invalid += 1;
    }
    if (status !== 429) return;
    this.metrics.rateLimited += 1;
    const waitMs = Math.max(0.1, Number(headers.get('retry-after') ?? 1)) * 1000 + this.#marginMs;
    const isGlobal = scope === 'global' || headers.get('x-ratelimit-global') !== null;
    if (isGlobal) this.#overall.blockedUntilMs = nowMs + waitMs;
    else this.#traffic.bucketOf(route).blockedUntilMs = nowMs + waitMs;
    // A webhook's token stands in its route, and no other process calls it.
    if (isGlobal) this.#shared?.noteBlock(waitMs);
    else if (!route.isExemptFromGlobal) this.#shared?.noteBlock(waitMs, keyOf(route));
  }

  #pump(): void {
    const pauseMs = this.#invalid.pauseMs(this.time.nowMs());
    if (pauseMs > 0) {
      for (const turn of this.#traffic.clear()) turn.refuse(new GovernorPaused(pauseMs));
      return;
    }
    let nowMs = this.time.nowMs();
    for (let found = this.#next(nowMs); found !== undefined; found = this.#next(nowMs)) {
      found.lane.take(found.turn);
      found.turn.start();
      nowMs = this.time.nowMs();
    }
    this.#traffic.removeEmptyLanes();
    if (this.#shared !== undefined && !this.#traffic.isEmpty) this.#shared.stir();
    this.#wakeWhenOpen(nowMs);
  }

  #next(nowMs: number) {
    return this.#traffic.next(nowMs, this.#overall.spare(nowMs) > 0);
  }

  // By the moment at which everything was found closed: what opened since then is due at once, and not forgotten.
  #wakeWhenOpen(nowMs: number): void {
    if (this.#traffic.isEmpty) return;
    const soonest = Math.min(
      this.#traffic.opensAtMs(nowMs),
      this.#overall.opensAtMs(nowMs) ?? Number.POSITIVE_INFINITY,
    );
    if (soonest >= this.#wakesAtMs) return;
    this.#wakesAtMs = soonest;
    void this.time.sleepUntil(soonest).then(() => {
      if (this.#wakesAtMs === soonest) this.#wakesAtMs = Number.POSITIVE_INFINITY;
      this.#pump();
    });
  }
}

const windowMs = 10 * 60 * 1000;

/**
 * Discord bans an address after 10,000 answers of 401, 403 or 429 within ten minutes. This stops far earlier, since the
 * address may be shared with other programs.
 */
class InvalidBudget {
  readonly #atMs: number[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  note(nowMs: number): void {
    this.#atMs.push(nowMs);
  }

  used(nowMs: number): number {
    while ((this.#atMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs - windowMs) this.#atMs.shift();
    return this.#atMs.length;
  }

  left(nowMs: number): number {
    return Math.max(0, this.#max - this.used(nowMs));
  }

  /** How long nothing may be sent; 0 while there is budget left. */
  pauseMs(nowMs: number): number {
    return this.used(nowMs) < this.#max ? 0 : (this.#atMs[0] ?? nowMs) + windowMs - nowMs;
  }
}
