import { createECDH, createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import type { Random } from '@latchkey/kernel';
import { publicJwk } from './key-formats.ts';
import type { SigningKey, SigningPurpose } from './signing-key.ts';

const curves = {
  jwt: { openssl: 'prime256v1', jwk: 'P-256' },
  'action-ecdsa': { openssl: 'secp256k1', jwk: 'secp256k1' },
} as const;

// RFC 8410: a PKCS #8 Ed25519 key is these bytes followed by the 32-byte seed.
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Makes a key pair out of the randomness given, so that all of it comes from one source. */
export function generateKey(random: Random, purpose: SigningPurpose): SigningKey {
  const privateKey = purpose === 'action-ed25519' ? ed25519Key(random) : ecKey(random, curves[purpose]);
  const publicKey = createPublicKey(privateKey);
  return { kid: thumbprint(publicKey), publicKey, privateKey, retiredAt: undefined };
}

function ed25519Key(random: Random): KeyObject {
  const der = Buffer.concat([ed25519Prefix, random.bytes(32)]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function ecKey(random: Random, curve: { openssl: string; jwk: string }): KeyObject {
  const scalar = Buffer.from(random.bytes(32));
  const ecdh = createECDH(curve.openssl);
  // Throws for a scalar above the order of the group, which comes up less than once in four thousand million draws.
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey();
  const text = (bytes: Buffer) => bytes.toString('base64url');
  const x = text(point.subarray(1, 33));
  const y = text(point.subarray(33));
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: curve.jwk, x, y, d: text(scalar) } });
}

function thumbprint(key: KeyObject): string {
  const { crv, kty, x, y } = publicJwk(key);
  // RFC 7638: the required members only, in alphabetical order, without white space. Ed25519 keys have no y.
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url');
}
