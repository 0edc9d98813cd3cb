import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base58 } from '@scure/base';
import { readBase58 } from './hashes.ts';

type Curve = 'ed25519' | 'secp256k1';
const curves: readonly Curve[] = ['ed25519', 'secp256k1'];
const keyBytes = { ed25519: 32, secp256k1: 64 } as const;
const signatureBytes = { ed25519: 64, secp256k1: 65 } as const;

/** Returns the curve of a number on the wire. */
export function curveOf(index: number): Curve | undefined {
  return curves[index];
}

export function keyLength(curve: Curve): number {
  return keyBytes[curve];
}

export function signatureLength(curve: Curve): number {
  return signatureBytes[curve];
}

/** Formats a key or signature as NEAR writes it: `ed25519:` and base58. */
export function writeKey(curve: Curve, bytes: Uint8Array): string {
  return `${curve}:${base58.encode(bytes)}`;
}

export interface ReadKey {
  curve: Curve;
  index: number;
  bytes: Uint8Array;
}

/** Parses a public key; undefined for other text. */
export function readKey(text: string): ReadKey | undefined {
  const [name, encoded] = text.includes(':') ? text.split(':', 2) : ['ed25519', text];
  const curve = curves.find((known) => known === name);
  const bytes = encoded === undefined ? undefined : readBase58(encoded);
  if (curve === undefined || bytes?.length !== keyBytes[curve]) return undefined;
  return { curve, index: curves.indexOf(curve), bytes };
}

/** Whether the key signed these 32 bytes. Returns false for malformed input. */
export function isSigned(publicKey: string, hash: Uint8Array, signature: Uint8Array): boolean {
  const key = readKey(publicKey);
  if (key === undefined) return false;
  try {
    if (key.curve === 'ed25519') return ed25519.verify(signature, hash, key.bytes, { zip215: false });
    const point = Uint8Array.of(4, ...key.bytes);
    return secp256k1.verify(signature.subarray(0, 64), hash, point, { prehash: false });
  } catch {
    return false;
  }
}
