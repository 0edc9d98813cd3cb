import { setTimeout as delay } from 'node:timers/promises';
import { print } from '../cli/print.ts';

/** Prints each step of the demo, and how long it took. */
export interface Narrator {
  /** Runs a step; its result is printed after its name. */
  step(name: string, work: () => Promise<string | undefined>): Promise<void>;
  say(text: string): void;
}

export function createNarrator(now: () => number): Narrator {
  return {
    say: print,
    step: async (name, work) => {
      const startedMs = now();
      try {
        const shown = await work();
        const seconds = ((now() - startedMs) / 1000).toFixed(1);
        print(`  ✓ ${name} (${seconds} s)${shown === undefined ? '' : `: ${shown}`}`);
      } catch (error) {
        print(`  ✗ ${name}`);
        throw error;
      }
    },
  };
}

const pauseMs = 50;

/** Waits until a condition holds, or throws the message. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  otherwise: string,
  { withinMs = 30_000, now }: { withinMs?: number; now: () => number },
): Promise<void> {
  const endsMs = now() + withinMs;
  while (!(await holds())) {
    if (now() > endsMs) throw new Error(`${otherwise} (waited ${withinMs / 1000} s)`);
    await delay(pauseMs);
  }
}
