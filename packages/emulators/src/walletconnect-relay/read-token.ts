import { createPublicKey, verify } from 'node:crypto';

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** What stands before an Ed25519 key in DER (RFC 8410). */
const derStart = Buffer.from('302a300506032b6570032100', 'hex');
/** What stands before one in a did:key. */
const didStart = 'ed01';

/** The did:key of a client, if its token is one that it signed for this relay. */
export function readToken(token: string, relayUrl: string, now: number): string | undefined {
  const [header = '', payload = '', signature = ''] = token.split('.');
  try {
    const { alg } = read(header);
    const { iss, aud, exp } = read(payload);
    if (alg !== 'EdDSA' || aud !== relayUrl || Number(exp) * 1000 < now || typeof iss !== 'string') return undefined;
    const key = createPublicKey({ key: Buffer.concat([derStart, keyOf(iss)]), format: 'der', type: 'spki' });
    const isSigned = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
    return isSigned ? iss : undefined;
  } catch {
    return undefined;
  }
}

function read(part: string): Record<string, unknown> {
  return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
}

function keyOf(did: string): Buffer {
  const [, text = ''] = /^did:key:z([1-9A-HJ-NP-Za-km-z]+)$/.exec(did) ?? [];
  const number = [...text].reduce((sum, letter) => sum * 58n + BigInt(base58.indexOf(letter)), 0n);
  const bytes = number.toString(16);
  if (!bytes.startsWith(didStart) || bytes.length !== didStart.length + 64) throw new Error('no Ed25519 key');
  return Buffer.from(bytes.slice(didStart.length), 'hex');
}
