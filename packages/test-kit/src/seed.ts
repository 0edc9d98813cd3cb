const chosen = process.env.LATCHKEY_TEST_SEED;

/**
 * Returns the random seed of a suite. It is the suite's name, so that `npm test` is deterministic; the deep run picks one, prints it and
 * sets LATCHKEY_TEST_SEED, which also repeats a run.
 */
export function seed(name: string): string {
  return chosen === undefined ? name : `${name} ${chosen}`;
}

/** Returns the seed as an integer below 2^32. */
export function seedNumber(name: string): number {
  return hashOf(seed(name));
}

export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
