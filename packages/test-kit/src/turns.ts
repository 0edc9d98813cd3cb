import { describe, test } from 'node:test';
import { hashOf } from './seed.ts';

/** Set by the runner in a run over all files. */
const { LATCHKEY_TEST_TURN: turn } = process.env;

interface Turns {
  readonly test: typeof test;
  readonly describe: typeof describe;
  /** How many times each share had its turn before this one; 0 in a run of chosen files. For `takeSome`. */
  readonly round: number;
}

/**
 * Divides an expensive suite into shares, which take turns: a run over all files runs one share and reports the rest as not run. A run of
 * chosen files and the deep run run the whole suite. Its `test` and `describe` replace those of Node, each call is one part of the suite.
 * Consecutive turns run all shares. A file that calls this belongs to the deep run.
 */
export function takeTurns(suite: string, shares: number): Turns {
  const share = turn === undefined ? undefined : shareOf(suite, shares, Number(turn));
  let place = 0;
  const isNext = () => share === undefined || place++ % shares === share;
  const skip = `share ${(share ?? 0) + 1} of ${shares} of ${suite}`;
  // Getters, not functions around Node's: a test is reported at the line that calls Node's function.
  return {
    round: roundOf(shares, Number(turn ?? 0)),
    get test() {
      return isNext() ? test : (((title: string) => test(title, { skip })) as typeof test);
    },
    get describe() {
      return isNext() ? describe : (((title: string) => describe(title, { skip })) as typeof describe);
    },
  };
}

/** Suites start with different shares, so that a turn is not the first share of each. */
export function shareOf(suite: string, shares: number, turn: number): number {
  return (hashOf(suite) + turn) % shares;
}

/** Changes whenever every share has had its turn, so that a share does not meet the same round each time. */
export function roundOf(shares: number, turn: number): number {
  return Math.floor(turn / shares);
}

/** Returns `count` of the items from all over the list, other ones in each round. Consecutive rounds take all. */
export function takeSome<Item>(items: readonly Item[], count: number, round: number): Item[] {
  const step = items.length / Math.max(1, Math.min(count, items.length));
  const offset = round % Math.max(1, Math.ceil(step));
  const places = Array.from({ length: Math.min(count, items.length) }, (_, n) => Math.floor(n * step) + offset);
  return [...new Set(places)].flatMap((place) => items.slice(place, place + 1));
}
