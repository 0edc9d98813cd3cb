import { setTimeout as sleep } from 'node:timers/promises';
import { fairShare } from './fair-share.ts';

/** Each look may be a request to a server, so that looking often takes the processor from what is waited for. */
const firstPauseMs = 10;
const longestPauseMs = 50;
const growth = 1.3;
/**
 * Of time as this machine has it to spare, so that a busy one only takes longer; below the runner's own limit, which is
 * counted in the same way, so that the failure says what was awaited.
 */
const patienceMs = 4 * 60_000;

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

/**
 * Waits for a condition to come true, and answers what it answered. A slow machine makes the wait longer, not the test
 * red: a wait for something that never comes fails with `what` after minutes.
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
