import type { Variable } from '../../config-kinds.ts';

/** Shorter values are words such as `true`, which would blank half of the text. */
const shortestSecret = 6;
const blanked = '[removed]';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns every text in the settings that may be a secret: masked values, and what URLs contain besides the host. */
export function secretsIn(environment: Environment, variables: Readonly<Record<string, Variable<unknown>>>): string[] {
  const pieces = Object.entries(variables).flatMap(([name, { shown }]) => {
    const value = environment[name] ?? '';
    if (shown === 'all' || value === '') return [];
    const entries = value.split(/[\s,]+/);
    // Of `opensea=key` and `k1:key`, the name is no secret.
    return shown === undefined
      ? [value, ...entries, ...entries.map((entry) => entry.replace(/^[^=:]*[=:]/, ''))]
      : entries.flatMap(secretsOfUrl);
  });
  const secrets = new Set(pieces.map((piece) => piece.trim()).filter((piece) => piece.length >= shortestSecret));
  const encoded = [...secrets].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]);
  // The longest first, so that a part of one does not spoil the search for the whole.
  return [...new Set(encoded)].sort((a, b) => b.length - a.length);
}

function secretsOfUrl(entry: string): string[] {
  const [, password = '', rest = ''] = /^[^/]*\/\/(?:[^:/@]*:?([^/@]*)@)?[^/?#]*(.*)$/.exec(entry) ?? [];
  // Keys have digits; `mainnet` and the name of a database are words that the rest of the bundle needs.
  const pieces = rest.split(/[/?#&=]/).filter((piece) => /\d/.test(piece) || piece.length >= 20);
  return [password, ...pieces].flatMap((piece) => {
    try {
      return [piece, decodeURIComponent(piece)];
    } catch {
      return [piece];
    }
  });
}

/** Personal data that a message may contain. Ids of users and communities stay, because a fault is found by them. */
const personal: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '[email address]'],
  [/\b0x[0-9a-f]{40}\b/gi, '[wallet address]'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, '[IP address]'],
  [/(?<![\w:])(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b/gi, '[IP address]'],
];

/** Returns a copy without secrets and personal data, and calls `removed` for each text that changed. */
export function scrub(value: unknown, secrets: readonly string[], removed: () => void = () => undefined): unknown {
  if (typeof value === 'string') {
    const clean = personal.reduce(
      (text, [pattern, instead]) => text.replace(pattern, instead),
      secrets.reduce((text, secret) => text.replaceAll(secret, blanked), value),
    );
    if (clean !== value) removed();
    return clean;
  }
  if (Array.isArray(value)) return value.map((item) => scrub(item, secrets, removed));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [scrub(name, secrets, removed), scrub(item, secrets, removed)]),
  );
}
