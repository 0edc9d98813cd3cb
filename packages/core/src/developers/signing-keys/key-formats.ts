import type { JsonWebKey, KeyObject } from 'node:crypto';
import { base58 } from './base58.ts';

/** The public half as a JSON Web Key, without a hint of the private one. */
export function publicJwk(key: KeyObject): JsonWebKey {
  if (key.type !== 'public') throw new Error('Only a public key may be published.');
  return key.export({ format: 'jwk' });
}

/** The public half as SPKI in PEM, which most tools read. */
export function publicPem(key: KeyObject): string {
  if (key.type !== 'public') throw new Error('Only a public key may be published.');
  return key.export({ format: 'pem', type: 'spki' }).toString();
}

/** A secp256k1 key as mini-apps compare it: `0x04` and both coordinates in lower-case hex. */
export function uncompressedHex(key: KeyObject): string {
  const { x, y } = publicJwk(key);
  return `0x04${coordinate(x).toString('hex')}${coordinate(y).toString('hex')}`;
}

/** The 32 bytes of an Ed25519 key as mini-apps are given them. */
export function ed25519Texts(key: KeyObject): { base58: string; hex: string } {
  const bytes = coordinate(publicJwk(key).x);
  return { base58: base58(bytes), hex: bytes.toString('hex') };
}

function coordinate(part: string | undefined): Buffer {
  const bytes = Buffer.from(part ?? '', 'base64url');
  if (bytes.length !== 32) throw new Error('The key is not of the kind this format is for.');
  return bytes;
}
