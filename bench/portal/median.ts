/** Returns the median, which one disturbed run does not change. */
export function median(measurements: readonly number[]): number {
  const sorted = [...measurements].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
