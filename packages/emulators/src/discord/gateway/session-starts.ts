import { Windows } from '../../windows.ts';
import type { Limits } from '../limits/limits.ts';
import type { Application } from '../state/types.ts';
import type { World } from '../state/world.ts';

/** The outcome of a bot's attempt to start a session. */
export type Start = 'begins' | 'too-soon' | 'used-up';

/** Limits session starts: a few at a time, and so many per day. Resuming is free. */
export class SessionStarts {
  readonly #world: World;
  readonly #limits: Limits;
  readonly #windows: Windows;
  readonly #days = new Map<string, { used: number; endsAtMs: number }>();

  constructor(world: World, limits: Limits) {
    this.#world = world;
    this.#limits = limits;
    this.#windows = new Windows(world.clock);
  }

  take({ id }: Application, shardId: number): Start {
    const { maxConcurrency, identifySeconds, sessionStarts } = this.#limits;
    const place = `${id} ${shardId % maxConcurrency}`;
    const isFree =
      identifySeconds === 0 || this.#windows.take(place, { limit: 1, windowSeconds: identifySeconds }).isAllowed;
    if (!isFree) return 'too-soon';
    const day = this.#day(id) ?? { used: 0, endsAtMs: this.#world.clock() + sessionStarts.windowSeconds * 1000 };
    this.#days.set(id, day);
    day.used += 1;
    return day.used > sessionStarts.limit ? 'used-up' : 'begins';
  }

  left(applicationId: string): { remaining: number; resetAfterMs: number } {
    const day = this.#day(applicationId);
    return {
      remaining: Math.max(0, this.#limits.sessionStarts.limit - (day?.used ?? 0)),
      resetAfterMs: day === undefined ? 0 : day.endsAtMs - this.#world.clock(),
    };
  }

  #day(applicationId: string) {
    const day = this.#days.get(applicationId);
    return day !== undefined && day.endsAtMs > this.#world.clock() ? day : undefined;
  }
}
