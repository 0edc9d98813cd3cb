import type { CallBudget, CallGrant } from '@latchkey/core/ports';
import { type Bucket, readBucket } from './bucket.ts';
import { GlobalLimit } from './global-limit.ts';
import { type Priority, priorities, type Turn } from './lane.ts';
import type { Route } from './route.ts';
import { monotonicTime, type Time } from './time.ts';
import { keyOf, type Ready, Traffic } from './traffic.ts';

/** The parts of a response that limits are learned from. */
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
  /** How many of a bot's 50 calls a second this process may use, if it does not share them with other processes. */
  callsPerSecond?: number;
  /** Shares the 50 calls a second with other processes. */
  budget?: CallBudget | undefined;
  /** Nothing more is sent after this many responses of 401, 403 and 429 in ten minutes. */
  maxInvalidCalls?: number;
  /** Added to every wait, for clock drift and rounded headers. */
  marginMs?: number;
}

/** The budget of refused calls is used up. The platform would soon ban the IP address. */
export class GovernorPaused extends Error {
  override readonly name = 'GovernorPaused';
  readonly retryAfterSeconds: number;

  constructor(pauseMs: number) {
    super('Discord rejected too many requests within ten minutes; requests are paused.');
    this.retryAfterSeconds = Math.max(1, Math.ceil(pauseMs / 1000));
  }
}

const maxRateLimitedTimes = 5;

/** Sends each call as early as the limits allow, and not earlier. It is the only place that waits for Discord's rate limits. */
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

  /** Returns how many calls may still be sent this second, and how many refusals are left within ten minutes. */
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

  /** Sends a call when no known limit can be exceeded by it. A call that got a 429 was not executed, and is sent again later. */
  run<Answer extends Answered>(call: GovernedCall, send: () => Promise<Answer>): Promise<Answer> {
    const { route, signal } = call;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const turn: Turn = {
      order: this.#order++,
      requestedAtMs: this.time.nowMs(),
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

  /** Returns undefined if the call has to wait for another turn. */
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
    // Rate limits of a shared resource do not count against the bot.
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
    // A webhook's token is in its route, and no other process calls it.
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

  // Based on the moment at which everything was closed: whatever opened since then is due at once and not missed.
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
 * Discord bans an IP address after 10,000 responses of 401, 403 or 429 within ten minutes. This stops far earlier, because the address may
 * be shared with other programs.
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

  /** Returns how long nothing may be sent; 0 while there is budget left. */
  pauseMs(nowMs: number): number {
    return this.used(nowMs) < this.#max ? 0 : (this.#atMs[0] ?? nowMs) + windowMs - nowMs;
  }
}

interface SharedLimitOptions {
  budget: CallBudget;
  time: Time;
  marginMs: number;
  /** Returns the calls that wait only for this limit. */
  ready(nowMs: number): Ready;
  /** Notifies that something may be sent now that could not be sent before. */
  changed(): void;
  /** Notifies that a route was rate-limited, here or in another process. */
  blocked(route: string, untilMs: number): void;
}

interface Need {
  wanted: number;
  urgent: number;
}

/** How often shares are re-evaluated while there is something to send. */
const beatMs = 200;
/** How soon they are re-evaluated when more is waiting than was reported, or when another process returned a slot. */
const soonestMs = 10;
/** A database that does not respond for this long counts as unavailable. */
const patienceMs = 2_000;
const mostPlaces = 50;
/** Requested in addition, so that the next call does not have to wait for the database. */
const headroom = 1;

/**
 * The limit over all routes, shared with other processes: this one has as many slots as it was granted, and requests more when more calls
 * wait. Without the database it makes one call a second.
 */
class SharedLimit extends GlobalLimit {
  readonly #options: SharedLimitOptions;
  #granted: { places: number; untilMs: number } = { places: 0, untilMs: 0 };
  #told: Need = { wanted: 0, urgent: 0 };
  /** While a report is in flight, only the reported slots are certain. */
  #kept = Number.POSITIVE_INFINITY;
  /** When released slots become free, until they were reported to the database. */
  #returnsAtMs: number[] = [];
  #isAway = false;
  #isAsking = false;
  #wake: (() => void) | undefined;
  #refused = 0;
  #blockedMs = 0;
  #blocks: { route: string; ms: number }[] = [];

  constructor(options: SharedLimitOptions) {
    super(0, options.marginMs);
    this.#options = options;
  }

  override places(nowMs: number): number {
    const own = nowMs < this.#granted.untilMs ? Math.min(this.#granted.places, this.#kept) : 0;
    return this.#isAway ? Math.max(1, own) : own;
  }

  /** Call this when a call is waiting. */
  stir(): void {
    if (this.#isAsking) {
      if (this.#wake !== undefined && this.#hasNews(this.#options.time.nowMs())) this.#wake();
      return;
    }
    this.#isAsking = true;
    void this.#keepAsking();
  }

  #hasNews(nowMs: number): boolean {
    if (this.#blockedMs > 0 || this.#blocks.length > 0) return true;
    if (this.#told.urgent === mostPlaces || this.spare(nowMs) > 0) return false;
    const { wanted, urgent } = this.#need(nowMs);
    return wanted > this.#told.wanted || urgent > this.#told.urgent;
  }

  /** The slots in use plus those that could be used. If only checks are waiting, finished writes say nothing about what comes next. */
  #need(nowMs: number): Need {
    const busy = this.busy(nowMs);
    const ready = this.#options.ready(nowMs);
    if (busy === 0 && ready.calls === 0) return { wanted: 0, urgent: 0 };
    const wanted = Math.min(mostPlaces, busy + ready.calls + headroom);
    const done = ready.isUrgentLeft ? this.busyWith(priorities.write, nowMs) : 0;
    const urgent = Math.min(wanted, this.busyWith(priorities.ask, nowMs) + done + ready.urgent + headroom);
    return { wanted, urgent };
  }

  noteRefusal(): void {
    this.#refused += 1;
  }

  noteBlock(ms: number, route?: string): void {
    if (route === undefined) this.#blockedMs = Math.max(this.#blockedMs, ms);
    else this.#blocks.push({ route, ms });
    this.stir();
  }

  async #keepAsking(): Promise<void> {
    const { time, changed } = this.#options;
    for (;;) {
      const nowMs = time.nowMs();
      this.#told = this.#need(nowMs);
      const moreInMs = await this.#ask(nowMs);
      changed();
      if (this.#told.wanted === 0 && this.#returnsAtMs.length === 0 && this.#need(time.nowMs()).wanted === 0) {
        // Reset synchronously, so that no call arrives in between and waits forever.
        this.#isAsking = false;
        return;
      }
      if (this.#returnsAtMs.length > 0 && !this.#isAway) continue;
      if (!this.#hasNews(time.nowMs())) await this.#pause(nowMs + Math.min(beatMs, moreInMs));
      await time.sleepUntil(nowMs + soonestMs);
    }
  }

  /** Reports the need to the database. Returns after how long it is worth requesting more. */
  async #ask(nowMs: number): Promise<number> {
    const returnsAtMs = this.#returnsAtMs.filter((atMs) => atMs > nowMs);
    const report = {
      ...this.#told,
      busy: this.busy(nowMs),
      returns: returnsAtMs.map((atMs) => atMs - nowMs),
      refused: this.#refused,
      blockedMs: this.#blockedMs,
      blocks: this.#blocks,
    };
    this.#kept = report.busy;
    this.#returnsAtMs = [];
    this.#refused = 0;
    this.#blockedMs = 0;
    this.#blocks = [];
    try {
      const grant = await this.#within(this.#options.budget.report(report), nowMs + patienceMs);
      this.#apply(grant, nowMs);
      this.#isAway = false;
      return grant.moreInMs ?? Number.POSITIVE_INFINITY;
    } catch {
      // Whether the database received the report is unknown, so slots that it may have granted to others are no longer used.
      this.#granted.places = Math.min(this.#granted.places, report.busy);
      this.#returnsAtMs = returnsAtMs;
      this.#refused += report.refused;
      this.#blockedMs = Math.max(this.#blockedMs, report.blockedMs);
      this.#blocks.push(...report.blocks);
      this.#isAway = true;
      return Number.POSITIVE_INFINITY;
    } finally {
      this.#kept = Number.POSITIVE_INFINITY;
    }
  }

  async #within<Answer>(answer: Promise<Answer>, untilMs: number): Promise<Answer> {
    const ended = new AbortController();
    const late = this.#options.time.sleepUntil(untilMs, ended.signal).then(() => {
      throw new Error('The database did not respond.');
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      late.catch(() => undefined);
      ended.abort();
    }
  }

  #apply(grant: CallGrant, requestedAtMs: number): void {
    this.#granted = { places: grant.places, untilMs: requestedAtMs + grant.goodForMs };
    const nowMs = this.#options.time.nowMs();
    // Slots that must not be used again go to other processes as soon as their calls no longer count.
    this.#returnsAtMs = this.giveUp(this.busy(nowMs) - grant.places);
    if (grant.blockedMs > 0) this.blockedUntilMs = Math.max(this.blockedUntilMs, nowMs + grant.blockedMs);
    for (const { route, ms } of grant.blocks) this.#options.blocked(route, nowMs + ms);
  }

  async #pause(untilMs: number): Promise<void> {
    const ended = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([this.#options.time.sleepUntil(untilMs, ended.signal), woken]);
    this.#wake = undefined;
    ended.abort();
  }
}
