import { describe, test } from 'node:test';
import { hashOf } from './seed.ts';

/** Set by the runner in a run over all files. */
const { LATCHKEY_TEST_TURN: turn } = process.env;

interface Turns {
  readonly test: typeof test;
  readonly describe: typeof describe;
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
