import type { ReadStorage, Storage } from './contract.ts';

/** A set of texts in the storage of a contract that can be listed by place, added to and taken from in one step. */
export interface ReadSet {
  size: number;
  page(from: number, limit: number): string[];
}

const sizeKey = (prefix: string) => `${prefix}#`;
const itemKey = (prefix: string, index: number) => `${prefix}@${index}`;
const placeKey = (prefix: string, item: string) => `${prefix}=${item}`;

export function readSet(storage: ReadStorage, prefix: string): ReadSet {
  const size = storage.get<number>(sizeKey(prefix)) ?? 0;
  return {
    size,
    page: (from, limit) =>
      Array.from(
        { length: Math.max(0, Math.min(limit, size - from)) },
        (_, index) => storage.get<string>(itemKey(prefix, from + index)) ?? '',
      ),
  };
}

export function addToSet(storage: Storage, prefix: string, item: string): void {
  if (storage.get(placeKey(prefix, item)) !== undefined) return;
  const size = storage.get<number>(sizeKey(prefix)) ?? 0;
  storage.set(itemKey(prefix, size), item);
  storage.set(placeKey(prefix, item), size);
  storage.set(sizeKey(prefix), size + 1);
}

/** The last one takes the place of the one that goes. */
export function takeFromSet(storage: Storage, prefix: string, item: string): void {
  const place = storage.get<number>(placeKey(prefix, item));
  if (place === undefined) return;
  const lastPlace = (storage.get<number>(sizeKey(prefix)) ?? 1) - 1;
  const last = storage.get<string>(itemKey(prefix, lastPlace)) ?? item;
  storage.set(itemKey(prefix, place), last);
  storage.set(placeKey(prefix, last), place);
  storage.set(itemKey(prefix, lastPlace), undefined);
  storage.set(placeKey(prefix, item), undefined);
  storage.set(sizeKey(prefix), lastPlace);
}
