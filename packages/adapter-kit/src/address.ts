/** Removes trailing slashes from a base URL. */
export function baseOf(url: string): string {
  return url.replace(/\/+$/, '');
}

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the query string with its question mark, or an empty string. A list repeats its name. */
export function writeQuery(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
