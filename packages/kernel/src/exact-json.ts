// ECMAScript's JSON.parse source text access, which Node supports but the compiler's library does not yet.
declare global {
  interface JSON {
    /** Returns a value that `JSON.stringify` writes as exactly this text. */
    rawJSON(text: string): unknown;
  }
}

/** Sixteen digits, or an exponent: numbers that may not be exact as a double. */
const maybeLarge = /\d{16}|\d[eE]/;

/**
 * Parses JSON without rounding: a number beyond 2^53 is passed to `keep` as it was written. By default it becomes a
 * string of its digits, which is how chains write amounts that exceed JSON numbers.
 */
export function parseExactJson(text: string, keep: (digits: string) => unknown = (digits) => digits): unknown {
  if (!maybeLarge.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, ...[written]: readonly { source?: string }[]) =>
    typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
      ? keep(written?.source ?? String(value))
      : value,
  );
}

/** The same for JSON that is returned again: `JSON.stringify` writes every number unchanged. */
export function parseForEcho(text: string): unknown {
  return parseExactJson(text, (digits) => JSON.rawJSON(digits));
}
