import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '@latchkey/kernel';

export interface PumpSteps {
  /** Looks after what other processes left behind and what the clock brings; answers when to do it again, if known. */
  sweep(): Promise<number | undefined>;
  /** Makes due jobs ready; answers in how many milliseconds the next one is due, if any. */
  ready(): Promise<number | undefined>;
  /** Takes ready jobs while there is room. */
  fill(): Promise<void>;
  log: Log;
}

/** Does the steps when asked to, never two rounds at once; requests that come meanwhile become one more round. */
export interface Pump {
  fill(): void;
  ready(): void;
  sweep(): void;
  /** Resolves when the last round has ended. */
  stop(): Promise<void>;
}

// Each round does its own step and those below it.
const levels = { nothing: 0, fill: 1, ready: 2, sweep: 3 };
const sweepEveryMs = 1_000;

export function startPump(steps: PumpSteps): Pump {
  let asked = levels.nothing;
  let round: Promise<void> | undefined;
  let isStopped = false;
  const timers = new Map<number, NodeJS.Timeout>();
  const interval = setInterval(() => ask(levels.sweep), sweepEveryMs);

  function ask(level: number): void {
    if (isStopped) return;
    asked = Math.max(asked, level);
    round ??= work().finally(() => {
      round = undefined;
    });
  }

  async function work(): Promise<void> {
    // Jobs that end in the same turn of the event loop make room for one claim, not for one claim each.
    await nextTurn();
    while (asked !== levels.nothing && !isStopped) {
      const level = asked;
      asked = levels.nothing;
      try {
        if (level >= levels.sweep) askLater(levels.sweep, await steps.sweep());
        if (level >= levels.ready) askLater(levels.ready, await steps.ready());
        await steps.fill();
      } catch (error) {
        // The next sweep comes within a second and does everything that was left undone.
        steps.log.warn('The worker could not look for jobs; trying again.', { reason: String(error) });
        return;
      }
    }
  }

  function askLater(level: number, afterMs: number | undefined): void {
    clearTimeout(timers.get(level));
    if (afterMs === undefined || afterMs > sweepEveryMs || isStopped) return;
    timers.set(
      level,
      setTimeout(() => ask(level), afterMs),
    );
  }

  return {
    fill: () => ask(levels.fill),
    ready: () => ask(levels.ready),
    sweep: () => ask(levels.sweep),
    stop: async () => {
      isStopped = true;
      clearInterval(interval);
      for (const timer of timers.values()) clearTimeout(timer);
      await round;
    },
  };
}
