import { createHmac } from 'node:crypto';

/**
 * One attempt to deliver a message. `timestamp` is the time of the attempt: receivers refuse signatures that are
 * minutes old.
 */
export interface SignedMessage {
  /** The same on every attempt, so that receivers can drop duplicates. */
  id: string;
  timestamp: Date;
  body: string;
}

const secretPrefix = 'whsec_';

/** Formats key bytes as a Standard Webhooks secret. */
export function formatWebhookSecret(key: Uint8Array): string {
  if (key.length < 24 || key.length > 64) throw new RangeError('A webhook secret must have 24 to 64 bytes.');
  return secretPrefix + Buffer.from(key).toString('base64');
}

/**
 * Returns the headers that authenticate a message: those of Standard Webhooks 1.0, with one signature per secret, and
 * `x-collabland-signature` for older receivers. That header has room for one signature, made with the first secret: a
 * receiver that was just given a new secret must be able to use it at once, so the newest comes first.
 */
export function signWebhook(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const [newest] = secrets;
  if (newest === undefined) throw new TypeError('A webhook needs at least one secret to be signed with.');
  // A dot in the id would let one signature match another pair of id and body.
  if (!/^[\w-]{1,255}$/.test(id)) throw new TypeError('A webhook id can only contain letters, digits, "_" and "-".');
  const timestampSeconds = Math.floor(timestamp.getTime() / 1000);
  const signed = `${id}.${timestampSeconds}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${hmac(keyOf(secret), signed).toString('base64')}`).join(' '),
    'x-collabland-signature': hmac(newest, body).toString('hex'),
  };
}

function hmac(key: string | Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

function keyOf(secret: string): Uint8Array {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  if (key.length >= 24 && key.length <= 64 && secret === formatWebhookSecret(key)) return key;
  throw new TypeError(`A webhook secret is "${secretPrefix}" and the base64 form of 24 to 64 bytes.`);
}
