const chosen = process.env.LATCHKEY_TEST_SEED;

/**
 * The seed of a suite's randomness. It is the suite's name, so that `npm test` does the same every time; the deep run
 * draws one, prints it and sets LATCHKEY_TEST_SEED, which also repeats a run.
 */
export function seed(name: string): string {
  return chosen === undefined ? name : `${name} ${chosen}`;
}

/** The same as a whole number below 2^32, for generators that want one. */
export function seedNumber(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(seed(name))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
