/** A queue in which callers take turns, so that whoever brings much does not hold up those who bring little. */
export interface Turns<Item> {
  size(): number;
  sizeOf(caller: string): number;
  add(caller: string, item: Item): void;
  next(): Item | undefined;
}

export function createTurns<Item>(): Turns<Item> {
  const byCaller = new Map<string, Item[]>();
  let size = 0;
  return {
    size: () => size,
    sizeOf: (caller) => byCaller.get(caller)?.length ?? 0,
    add: (caller, item) => {
      size += 1;
      const present = byCaller.get(caller);
      if (present === undefined) byCaller.set(caller, [item]);
      else present.push(item);
    },
    next: () => {
      const [caller, items] = byCaller.entries().next().value ?? [];
      if (caller === undefined || items === undefined) return undefined;
      const item = items.shift();
      size -= 1;
      // A map keeps the order of its keys: whoever had a turn goes to the end.
      byCaller.delete(caller);
      if (items.length > 0) byCaller.set(caller, items);
      return item;
    },
  };
}
