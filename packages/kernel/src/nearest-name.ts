/** Longer names are not compared, because the cost grows with the product of both lengths. */
const longest = 64;

/** Returns the most likely candidate for a misspelled name, if any is within `furthest` edits. */
export function nearestName(name: string, candidates: readonly string[], furthest: number): string | undefined {
  if (name.length > longest) return undefined;
  const [best] = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= furthest)
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= furthest ? best.candidate : undefined;
}

/** Returns the Levenshtein distance: how many characters must be added, removed or replaced. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
