import type { CallBudget, CallGrant } from '@latchkey/core/ports';
import { GlobalLimit } from './global-limit.ts';
import { priorities } from './lane.ts';
import type { Time } from './time.ts';
import type { Ready } from './traffic.ts';

export interface SharedLimitOptions {
  budget: CallBudget;
  time: Time;
  marginMs: number;
  /** The calls that wait for nothing but this limit. */
  ready(nowMs: number): Ready;
  /** Something may be sent now that could not be before. */
  changed(): void;
  /** A route was closed, here or elsewhere. */
  blocked(route: string, untilMs: number): void;
}

interface Need {
  wanted: number;
  urgent: number;
}

/** How often shares are looked at anew while there is something to send. */
const beatMs = 200;
/** How soon they are when more waits than was told, or when somebody gave up a place. */
const soonestMs = 10;
/** A database that is silent for so long counts as away. */
const patienceMs = 2_000;
const mostPlaces = 50;
/** Asked for on top, so that a call that comes next need not wait for an answer of the database. */
const headroom = 1;

/**
 * The limit over all routes, shared with other processes: this one has as many places as it was granted, and asks for more
 * when more waits. Without the database it keeps to one call a second.
 */
export class SharedLimit extends GlobalLimit {
  readonly #options: SharedLimitOptions;
  #granted: { places: number; untilMs: number } = { places: 0, untilMs: 0 };
  #told: Need = { wanted: 0, urgent: 0 };
  /** While a report is under way, only what it says is surely its own. */
  #kept = Number.POSITIVE_INFINITY;
  /** When places that were given up come free, until the database knows of them. */
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

  /** To be called when something waits. */
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

  /** As many as are busy and could be. When nothing but checks waits, writes that are done tell nothing of what comes. */
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
        // At once, so that no call comes in between and waits for nobody.
        this.#isAsking = false;
        return;
      }
      if (this.#returnsAtMs.length > 0 && !this.#isAway) continue;
      if (!this.#hasNews(time.nowMs())) await this.#pause(nowMs + Math.min(beatMs, moreInMs));
      await time.sleepUntil(nowMs + soonestMs);
    }
  }

  /** Says after how long it is worth asking for more. */
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
      // Whether the database heard of it is unknown: what it may have given to others is no longer used.
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

  #apply(grant: CallGrant, askedAtMs: number): void {
    this.#granted = { places: grant.places, untilMs: askedAtMs + grant.goodForMs };
    const nowMs = this.#options.time.nowMs();
    // What must not be used again goes to others as soon as its call no longer counts.
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
