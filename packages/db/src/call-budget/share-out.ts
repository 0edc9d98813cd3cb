/**
 * Shares places so that nobody gets more than it can use and nobody could get more without taking from one who has less.
 * What does not divide goes to the first of the list.
 */
export function shareOut(wants: ReadonlyMap<string, number>, places: number): Map<string, number> {
  const shares = new Map([...wants.keys()].map((owner) => [owner, 0]));
  let left = places;
  let open = [...wants].filter(([, wanted]) => wanted > 0);
  while (left > 0 && open.length > 0) {
    const each = Math.max(1, Math.floor(left / open.length));
    for (const [owner, wanted] of open) {
      const held = shares.get(owner) ?? 0;
      const more = Math.min(each, wanted - held, left);
      shares.set(owner, held + more);
      left -= more;
    }
    open = open.filter(([owner, wanted]) => (shares.get(owner) ?? 0) < wanted);
  }
  return shares;
}
