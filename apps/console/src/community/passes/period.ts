const units = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const;

/** A span of time in words: "30 days". */
export function formatPeriod(seconds: number): string {
  const [unit, size] =
    units.find(([, length]) => seconds >= length && seconds % length === 0) ?? (['second', 1] as const);
  const amount = Math.round(seconds / size);
  return `${amount.toLocaleString()} ${unit}${amount === 1 ? '' : 's'}`;
}
