import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '@latchkey/kernel';

export interface PumpSteps {
  /** Looks after what other processes left behind and what the clock brings; answers when to do it again, if known. */
  sweep(): Promise<number | undefined>;
  /** Makes due jobs ready; answers in how many milliseconds the next one is due, if any. */
  ready(): Promise<number | undefined>;
  /** Takes ready jobs while there is room; answers when to do it again, if that should not wait for another request. */
  fill(): Promise<number | undefined>;
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
  const plans = new Map<number, { timer: NodeJS.Timeout; dueAt: number }>();
  const interval = setInterval(() => ask(levels.sweep), sweepEveryMs);

  function ask(level: number): void {
    if (isStopped) return;
    asked = Math.max(asked, level);
    round ??= work();
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
        askLater(levels.fill, await steps.fill());
      } catch (error) {
        // The next sweep comes within a second and does everything that was left undone.
        if (!isStopped) steps.log.warn('The worker could not look for jobs; trying again.', { reason: String(error) });
        asked = levels.nothing;
      }
    }
    round = undefined;
  }

  // A later request never puts off an earlier one.
  function askLater(level: number, afterMs: number | undefined): void {
    if (afterMs === undefined || afterMs > sweepEveryMs || isStopped) return;
    const dueAt = performance.now() + afterMs;
    const planned = plans.get(level);
    if (planned && planned.dueAt <= dueAt) return;
    clearTimeout(planned?.timer);
    const timer = setTimeout(() => {
      plans.delete(level);
      ask(level);
    }, afterMs);
    plans.set(level, { timer, dueAt });
  }

  return {
    fill: () => ask(levels.fill),
    ready: () => ask(levels.ready),
    sweep: () => ask(levels.sweep),
    stop: async () => {
      isStopped = true;
      clearInterval(interval);
      for (const { timer } of plans.values()) clearTimeout(timer);
      await round;
    },
  };
}
