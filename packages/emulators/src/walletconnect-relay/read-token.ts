import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';

/** What stands before an Ed25519 key in DER (RFC 8410). */
const derStart = Buffer.from('302a300506032b6570032100', 'hex');
/** What stands before one in a did:key. */
const didStart = Buffer.from('ed01', 'hex');

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
  if (!did.startsWith('did:key:z')) throw new Error('Not a did:key in base 58.');
  const bytes = Buffer.from(base58.decode(did.slice('did:key:z'.length)));
  if (!bytes.subarray(0, 2).equals(didStart) || bytes.length !== 34) throw new Error('Not an Ed25519 key.');
  return bytes.subarray(2);
}
