import type { CallBudget, CallGrant } from '@latchkey/core/ports';
import { GlobalLimit } from './global-limit.ts';
import type { Time } from './time.ts';

export interface SharedLimitOptions {
  budget: CallBudget;
  time: Time;
  marginMs: number;
  /** How many calls wait for nothing but this limit. */
  waiting(nowMs: number): number;
  /** Something may be sent now that could not be before. */
  changed(): void;
  /** A route was closed, here or elsewhere. */
  blocked(route: string, untilMs: number): void;
}

/** How often shares are looked at anew while there is something to send. */
const beatMs = 200;
/** How soon they are when more waits than fits. */
const soonestMs = 25;
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
  #isAway = false;
  #isAsking = false;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | undefined;
  #refused = 0;
  #blockedMs = 0;
  #blocks: { route: string; ms: number }[] = [];

  constructor(options: SharedLimitOptions) {
    super(0, options.marginMs);
    this.#options = options;
  }

  override places(nowMs: number): number {
    if (nowMs < this.#granted.untilMs) return this.#granted.places;
    return this.#isAway ? 1 : 0;
  }

  /** To be called when something waits. */
  stir(): void {
    if (this.#isAsking) {
      const { time, waiting } = this.#options;
      const nowMs = time.nowMs();
      if (nowMs - this.#askedAtMs >= soonestMs && waiting(nowMs) > 0 && this.spare(nowMs) <= 0) this.#wake?.();
      return;
    }
    this.#isAsking = true;
    void this.#keepAsking();
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
    const { time, waiting, changed } = this.#options;
    for (;;) {
      const nowMs = time.nowMs();
      const busy = this.busy(nowMs);
      const isIdle = busy === 0 && waiting(nowMs) === 0;
      this.#askedAtMs = nowMs;
      await this.#ask(nowMs, isIdle ? 0 : Math.min(mostPlaces, busy + waiting(nowMs) + headroom), busy);
      changed();
      if (isIdle && this.busy(time.nowMs()) === 0 && waiting(time.nowMs()) === 0) {
        // At once, so that no call comes in between and waits for nobody.
        this.#isAsking = false;
        return;
      }
      await this.#pause(nowMs + beatMs);
    }
  }

  async #ask(nowMs: number, wanted: number, busy: number): Promise<void> {
    const report = { wanted, busy, refused: this.#refused, blockedMs: this.#blockedMs, blocks: this.#blocks };
    this.#refused = 0;
    this.#blockedMs = 0;
    this.#blocks = [];
    try {
      this.#apply(await this.#within(this.#options.budget.report(report), nowMs + patienceMs), nowMs);
      this.#isAway = false;
    } catch {
      this.#refused += report.refused;
      this.#blockedMs = Math.max(this.#blockedMs, report.blockedMs);
      this.#blocks.push(...report.blocks);
      this.#isAway = true;
    }
  }

  async #within<Answer>(answer: Promise<Answer>, untilMs: number): Promise<Answer> {
    const ended = new AbortController();
    const late = this.#options.time.sleepUntil(untilMs, ended.signal).then(() => {
      throw new Error('The database did not answer.');
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
