const layout = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses an RFC 3339 date-time to milliseconds since 1970; undefined for other text and dates that do not exist. */
export function parseDateTime(text: string): number | undefined {
  const date = layout.exec(text)?.[1];
  if (date === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // JavaScript parses 31 February as 3 March; only a date that exists survives the round trip.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  return Date.parse(text);
}
