const layout = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The milliseconds since 1970 of a date-time of RFC 3339, or undefined for other texts and days no calendar has. */
export function parseDateTime(text: string): number | undefined {
  const date = layout.exec(text)?.[1];
  if (date === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // The engine reads 31 February as 3 March; only a day that exists comes back as it was written.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  return Date.parse(text);
}
