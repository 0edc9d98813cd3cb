// Of ECMAScript's JSON.parse source text access, which Node has and the compiler's library does not yet.
declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as this text, digit for digit. */
    rawJSON(text: string): unknown;
  }
}

/** Sixteen digits, or an exponent: what a number may have that is not exact as a double. */
const maybeLarge = /\d{16}|\d[eE]/;

/**
 * Parses JSON without rounding: a number beyond 2^53 is handed to `keep` as it was written. By default it becomes a text
 * of its digits, which is how chains write amounts that no JSON number can hold.
 */
export function parseExactJson(text: string, keep: (digits: string) => unknown = (digits) => digits): unknown {
  if (!maybeLarge.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, ...[written]: readonly { source?: string }[]) =>
    typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
      ? keep(written?.source ?? String(value))
      : value,
  );
}

/** The same for JSON that is answered with again: `JSON.stringify` writes every number as it was. */
export function parseForEcho(text: string): unknown {
  return parseExactJson(text, (digits) => JSON.rawJSON(digits));
}
