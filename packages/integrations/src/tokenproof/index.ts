import { createHmac, timingSafeEqual } from 'node:crypto';
import { baseOf, readBytes, within } from '@latchkey/adapter-kit';
import type { Tokenproof, TokenproofAnswer, TokenproofReply } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';

export interface TokenproofOptions {
  /** The base URL for opening requests and reading their responses. */
  url: string;
  /** Shared with the service, which signs its responses with it. */
  secret: string;
  fetch: typeof globalThis.fetch;
  timeoutMs?: number | undefined;
}

const maxBytes = 16_384;
const signatureHeader = 'x-tokenproof-signature';

/**
 * Creates a client of a service that requests proofs from phones. The link `<url>/app?request_id=…&nonce=…` opens a request.
 * `<url>/responses/<request_id>` returns 404 until the phone has responded, and then the response as JSON, signed in the header
 * X-Tokenproof-Signature with the hexadecimal HMAC-SHA256 of its exact bytes.
 */
export function createTokenproof({ url, secret, fetch, timeoutMs = 5000 }: TokenproofOptions): Tokenproof {
  const base = baseOf(url);
  return {
    appLink: ({ requestId, nonce }) =>
      `${base}/app?${new URLSearchParams({ request_id: requestId, nonce }).toString()}`,
    readReply: async (requestId, signal) => {
      try {
        const response = await fetch(`${base}/responses/${encodeURIComponent(requestId)}`, {
          headers: { accept: 'application/json' },
          redirect: 'error',
          signal: within(timeoutMs, signal),
        });
        return await readCallback(response, secret);
      } catch {
        return unknown('could not be reached');
      }
    },
  };
}

async function readCallback(response: Response, secret: string): Promise<TokenproofAnswer> {
  if (response.status === 404) {
    await response.body?.cancel();
    return { kind: 'waiting' };
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    return unknown(`answered with status ${response.status}`);
  }
  const bytes = await readBytes(response, maxBytes);
  if (bytes === undefined) return unknown('sent a response that is too large');
  if (!isSigned(bytes, response.headers.get(signatureHeader) ?? '', secret))
    return unknown('sent a response without a valid signature');
  const reply = readReply(JSON.parse(bytes.toString('utf8')));
  return reply === undefined ? unknown('sent an invalid response') : { kind: 'replied', reply };
}

function isSigned(bytes: Buffer, signature: string, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(bytes).digest();
  const given = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, 'hex') : Buffer.alloc(expected.length);
  return timingSafeEqual(given, expected);
}

/** Returns a signed response; undefined if a field that is there is no text or is empty. */
function readReply(value: unknown): TokenproofReply | undefined {
  if (!isObject(value)) return undefined;
  const { nonce, status, account, reason, timestamp, session_id: sessionId } = value;
  const others = Object.entries({ account, reason, timestamp, sessionId }).filter(([, field]) => field !== undefined);
  if (!isText(nonce) || !isText(status) || !others.every(([, field]) => isText(field))) return undefined;
  const cut = others.map(([name, field]) => [name, String(field).slice(0, 1024)]);
  return { nonce, status: status.slice(0, 64), ...Object.fromEntries(cut) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function unknown(what: string): TokenproofAnswer {
  return { kind: 'unknown', reason: `Tokenproof ${what}.` };
}
