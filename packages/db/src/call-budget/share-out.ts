/** What one process could use. */
export interface Want {
  wanted: number;
  /** How much of it cannot be put off. */
  urgent: number;
}

/**
 * Shares places so that nobody gets more than it can use and nobody could get more without taking from one who has less. What
 * is urgent comes before what is not, except that everybody who wants something gets one place first. What does not divide goes
 * to the first of the list.
 */
export function shareOut(wants: ReadonlyMap<string, Want>, places: number): Map<string, number> {
  const shares = new Map([...wants.keys()].map((owner) => [owner, 0]));
  let left = places;
  for (const limitOf of [
    ({ wanted }: Want) => Math.min(1, wanted),
    ({ wanted, urgent }: Want) => Math.min(urgent, wanted),
    ({ wanted }: Want) => wanted,
  ]) {
    for (; left > 0; left -= 1) {
      const open = [...wants].filter(([owner, want]) => (shares.get(owner) ?? 0) < limitOf(want));
      const least = Math.min(...open.map(([owner]) => shares.get(owner) ?? 0));
      const next = open.find(([owner]) => shares.get(owner) === least);
      if (next === undefined) break;
      shares.set(next[0], least + 1);
    }
  }
  return shares;
}
