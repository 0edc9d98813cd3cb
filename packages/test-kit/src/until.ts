import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Each attempt may be a request to a server, so polling often takes CPU time from what is waited for. */
const firstPauseMs = 10;

const longestPauseMs = 50;

const growth = 1.3;

/**
 * Counted in fair-share time, so that a busy machine only takes longer. Below the runner's own limit, which is counted the same way, so
 * that the failure says what was awaited.
 */
const patienceMs = 4 * 60_000;

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

/**
 * Waits until a condition is true, and returns its result. A slow machine makes the wait longer but does not fail the test; a wait for
 * something that never happens fails with `what` after minutes.
 */
export async function until<T>(what: string, condition: () => T | Promise<T>): Promise<Truthy<T>> {
  const startedAt = performance.now();
  let spentMs = 0;
  let checkedAt = startedAt;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * growth, longestPauseMs)) {
    const answer = await condition();
    if (answer) return answer as Truthy<T>;
    const now = performance.now();
    spentMs += (now - checkedAt) * fairShare();
    checkedAt = now;
    if (spentMs > patienceMs)
      throw new Error(`Waited ${Math.round((now - startedAt) / 60_000)} minutes in vain until ${what}.`);
    await sleep(pauseMs);
  }
}

/**
 * Returns what a second is worth on this machine now: a twentieth of one if twenty processes compete for each core. A timeout counted this
 * way ends a wait for something that never happens, but not for something that is slow because other processes use the CPU.
 */
export function fairShare(load: number = loadavg()[0] ?? 0, cores: number = availableParallelism()): number {
  return Math.min(1, cores / load);
}
