import { setTimeout as sleep } from 'node:timers/promises';
import type { RpcFetch, Timers } from '../endpoints/index.ts';

/** Requests carry their number here, so that a server can report which of them it leaves unanswered. */
export const requestNumberHeader = 'x-request-number';

export interface IdleTimers {
  timers: Timers;
  /** Like `fetch`, with the clock stopped meanwhile. */
  fetch: RpcFetch;
  pass(durationMs: number): Promise<void>;
  stop(): void;
}

const checksUntilIdle = 4;

/**
 * A clock that advances only while nothing else can happen: no request is in flight except those that are never answered. Then it jumps to
 * the next due timer. So a timeout ends a hanging request at once, and never cuts off a good response on a slow machine.
 */
export function idleTimers(isUnanswered: (requestNumber: string) => boolean): IdleTimers {
  const timers = handTimers();
  const inProgress = new Set<string>();
  let requests = 0;
  let isStopped = false;

  const run = async () => {
    for (let looks = 0; !isStopped; looks += 1) {
      await sleep(1);
      if ([...inProgress].some((number) => !isUnanswered(number))) looks = 0;
      const dueInMs = timers.dueInMs();
      if (looks < checksUntilIdle || dueInMs === undefined) continue;
      await timers.pass(dueInMs);
      looks = 0;
    }
  };
  void run();

  return {
    timers,
    pass: timers.pass,
    stop: () => {
      isStopped = true;
    },
    fetch: async (url, init) => {
      const number = String(++requests);
      inProgress.add(number);
      try {
        const response = await fetch(url, {
          ...init,
          headers: { ...Object(init.headers), [requestNumberHeader]: number },
        });
        // Read here, because a response is in flight until its last byte.
        return new Response(await response.arrayBuffer(), response);
      } finally {
        inProgress.delete(number);
      }
    },
  };
}

interface HandTimers extends Timers {
  /** Advances the time and runs what is due, letting promises settle after each. */
  pass(durationMs: number): Promise<void>;
  /** Returns how long until the next timer is due; undefined if there is none. */
  dueInMs(): number | undefined;
}

/** Creates a clock that stands still until a test advances it. */
export function handTimers(): HandTimers {
  let nowMs = 0;
  const due = new Set<{ atMs: number; act: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    nowMs: () => nowMs,
    after: (delayMs, act) => {
      const entry = { atMs: nowMs + delayMs, act };
      due.add(entry);
      return () => void due.delete(entry);
    },
    dueInMs: () => (due.size === 0 ? undefined : Math.min(...[...due].map(({ atMs }) => atMs)) - nowMs),
    pass: async (durationMs) => {
      const endMs = nowMs + durationMs;
      await settle();
      for (;;) {
        const [next] = [...due].filter(({ atMs }) => atMs <= endMs).sort((one, other) => one.atMs - other.atMs);
        if (next === undefined) break;
        due.delete(next);
        nowMs = next.atMs;
        next.act();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
  };
}
