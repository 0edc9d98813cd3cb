/** A base address as paths are put behind it: without a slash at its end. */
export function baseOf(url: string): string {
  return url.replace(/\/+$/, '');
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The query of an address with its question mark; empty when nothing is asked. A list repeats its name. */
export function writeQuery(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
