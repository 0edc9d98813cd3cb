import { setImmediate } from 'node:timers/promises';
import type { Effort } from './bdd.ts';

/**
 * Shares the steps that may be taken among questions. Each gets what `shareOf` says, or what is left if that is less; steps that it
 * does not take stay for the others. Between two questions, other work of the process goes on.
 */
export function shareEffort(
  steps: number,
  shareOf: (stepsLeft: number) => number,
): <Found>(ask: (effort: Effort) => Found | Promise<Found>) => Promise<Found> {
  let stepsLeft = steps;
  return async (ask) => {
    const given = Math.min(shareOf(stepsLeft), stepsLeft);
    const effort = { stepsLeft: given };
    const found = await ask(effort);
    stepsLeft -= given - effort.stepsLeft;
    await setImmediate();
    return found;
  };
}
