const shownItems = 2;
const shownLength = 300;

/** Field names with secret values, unless the value is too short to be a secret. */
const secretNames = /secret|password|otp$|pairingCode|apiKey|api_key|privateKey|verifier|(?<!pagination)token$/i;
const shortestSecret = 16;
/** Our own tokens and JWTs, anywhere in a text. */
const secretValues = /\blk_[a-z]+_[\w-]{8,}|\beyJ[\w-]{10,}\.[\w.-]*|\bAE [\w.-]{20,}/g;

/**
 * Cleans up a recorded value for readers: truncates long lists and texts, removes secrets, and replaces URLs of the
 * recording machine with generic ones.
 */
export function tidy(value: unknown, serverUrl: string, name = ''): unknown {
  if (typeof value === 'string') return tidyText(value, serverUrl, name);
  if (Array.isArray(value)) return value.slice(0, shownItems).map((item) => tidy(item, serverUrl, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, tidy(field, serverUrl, key)]));
}

function tidyText(text: string, serverUrl: string, name: string): string {
  if (secretNames.test(name) && text.length >= shortestSecret) return '…';
  const shown = text
    .replaceAll(serverUrl, 'https://latchkey.example')
    .replaceAll(encodeURIComponent(serverUrl), encodeURIComponent('https://latchkey.example'))
    .replaceAll(new URL(serverUrl).host, 'latchkey.example')
    .replaceAll(/http:\/\/(127\.0\.0\.1|localhost):\d+/g, 'https://service.example')
    .replaceAll(/\b(127\.0\.0\.1|localhost):\d+/g, 'service.example')
    .replaceAll(secretValues, '…');
  return shown.length > shownLength ? `${shown.slice(0, shownLength)}…` : shown;
}
