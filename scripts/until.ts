import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition, and throws when it has not come true in time. */
export async function until(condition: () => boolean, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain: ${condition}`);
    await sleep(20);
  }
}
