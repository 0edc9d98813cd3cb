/** Repeatable randomness: the same seed gives the same results, so a failing run can be reproduced. */
export interface Dice {
  /** Returns true with this probability, from 0 to 1. */
  falls(probability: number): boolean;
  /** Returns an integer from 0 to below `sides`. */
  roll(sides: number): number;
}

/** A Weyl sequence with an xor-shift-multiply finish: 32 bits of state are plenty for choosing which requests fail. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  return { falls: (probability) => next() < probability, roll: (sides) => Math.floor(next() * sides) };
}
