/** Returns the paths most similar to the requested one, the best first. Dissimilar paths are left out. */
export function nearestPaths(wanted: string, paths: readonly string[], count: number): string[] {
  const pairs = pairsOf(wanted);
  return paths
    .map((path) => ({ path, likeness: likeness(pairs, pairsOf(path)) }))
    .filter(({ likeness: score }) => score > 0.35)
    .sort((a, b) => b.likeness - a.likeness || a.path.localeCompare(b.path))
    .slice(0, count)
    .map(({ path }) => path);
}

function pairsOf(path: string): Set<string> {
  const letters = path.toLowerCase().replace(/\.html?$|\/$/g, '');
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) => letters.slice(index, index + 2)),
  );
}

/** Returns the share of letter pairs that both have (Dice's coefficient). */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((pair) => b.has(pair)).length;
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size);
}
