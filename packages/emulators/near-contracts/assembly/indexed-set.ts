import { forget, store, stored } from "./host";

/** A set of texts that can be listed by index, with insertion and removal in one step. */
export class IndexedSet {
  constructor(private prefix: string) {}

  get size(): u32 {
    const size = stored(this.prefix + "#");
    return size === null ? 0 : <u32>U32.parseInt(size);
  }

  private setSize(size: u32): void {
    if (size == 0) forget(this.prefix + "#");
    else store(this.prefix + "#", size.toString());
  }

  private item(place: u32): string {
    return this.prefix + "@" + place.toString();
  }

  private place(item: string): string {
    return this.prefix + "=" + item;
  }

  at(place: u32): string {
    const item = stored(this.item(place));
    return item === null ? "" : item;
  }

  add(item: string): void {
    if (stored(this.place(item)) !== null) return;
    const size = this.size;
    store(this.item(size), item);
    store(this.place(item), size.toString());
    this.setSize(size + 1);
  }

  /** The last item moves to the place of the removed one. */
  take(item: string): void {
    const found = stored(this.place(item));
    if (found === null) return;
    const place = <u32>U32.parseInt(found);
    const lastPlace = this.size - 1;
    if (place != lastPlace) {
      const last = this.at(lastPlace);
      store(this.item(place), last);
      store(this.place(last), place.toString());
    }
    forget(this.item(lastPlace));
    forget(this.place(item));
    this.setSize(lastPlace);
  }

  page(from: u32, limit: u32): string[] {
    const items: string[] = [];
    const size = this.size;
    for (let place = from; place < size && <u32>items.length < limit; place++) items.push(this.at(place));
    return items;
  }
}
