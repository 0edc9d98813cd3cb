const setting = process.env.LATCHKEY_TEST_VOLUME ?? 'usual';

/** Whether this is an ordinary run, not a deep one. */
export const isUsual = setting === 'usual';

/**
 * Returns how much a suite does: enough to find a regression in `npm test`, as much as necessary in `npm run test:deep`.
 * LATCHKEY_TEST_VOLUME is `usual`, `deep`, or a factor for the deep volume. A file that calls this belongs to the deep run.
 */
export function volume(usual: number, deep: number): number {
  return scaled(setting, usual, deep);
}

export function scaled(volumeSetting: string, usual: number, deep: number): number {
  if (volumeSetting === 'usual') return usual;
  if (volumeSetting === 'deep') return deep;
  const factor = Number(volumeSetting);
  if (!(factor > 0 && Number.isFinite(factor)))
    throw new Error(`LATCHKEY_TEST_VOLUME is "${volumeSetting}"; it must be usual, deep or a number above 0.`);
  return Math.max(1, Math.round(deep * factor));
}
