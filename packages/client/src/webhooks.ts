import type { EventData } from './operations.ts';
import { nowSeconds } from './runtime.ts';

/** A message as it arrived: the body must be the exact bytes or text, before any JSON parser has touched it. */
export interface WebhookMessage {
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  body: string | Uint8Array;
}

/** The type of an event, for example `member.role-granted`. */
export type WebhookEventType = keyof EventData;

/** An event of one type, or by default of any of the types. */
export type WebhookEvent<Type extends WebhookEventType = WebhookEventType> = {
  [One in Type]: {
    /** Stays the same however often a message is sent: use it to drop duplicates. */
    id: string;
    /** Tells what `data` holds. A newer server may send a type that is missing here, if you subscribe to it. */
    type: One;
    /** When it happened, in ISO 8601. */
    timestamp: string;
    data: EventData[One];
  };
}[Type];

/** The message does not come from your Latchkey server, or is too old. Respond with 400. */
export class WebhookSignatureError extends Error {
  override name = 'WebhookSignatureError';
}

const toleranceSeconds = 5 * 60;

/**
 * Verifies the signature and the age of a webhook by Standard Webhooks 1.0 and returns its event. Several secrets are accepted while one is
 * being replaced. Throws a WebhookSignatureError for everything else.
 */
export async function verifyWebhook(
  message: WebhookMessage,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const id = headerOf(message, 'webhook-id');
  const timestamp = headerOf(message, 'webhook-timestamp');
  const signatures = headerOf(message, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds() - Number(timestamp)) > toleranceSeconds)
    throw new WebhookSignatureError('The message is older than five minutes, or its timestamp is missing or invalid.');
  const body = typeof message.body === 'string' ? new TextEncoder().encode(message.body) : message.body;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const candidates = signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  for (const secret of [secrets].flat())
    if (await isSignedWith(secret, candidates, signed)) return readEvent(id, new TextDecoder().decode(body));
  throw new WebhookSignatureError('No signature of the message matches the secret.');
}

/** `crypto.subtle.verify` compares in constant time. */
async function isSignedWith(
  secret: string,
  candidates: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const bytes = readBase64(secret.replace(/^whsec_/, ''));
  // A mistake of the receiver, which must not look like a forged message.
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('The webhook secret is invalid. It must be whsec_ followed by base64.');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const candidate of candidates) {
    const signature = readBase64(candidate);
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

function readEvent(id: string, text: string): WebhookEvent {
  const { type, timestamp, data } = JSON.parse(text);
  return { id, type, timestamp, data };
}

function headerOf({ headers }: WebhookMessage, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findIgnoringCase(headers, name);
  if (typeof value !== 'string' || value === '')
    throw new WebhookSignatureError(`The header ${name} is missing, so the message is not signed.`);
  return value;
}

function findIgnoringCase(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
