import { readInput } from '@latchkey/kernel';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import type { AccountKey, Curve, HashName } from './account-keys.ts';

const curves = { p256, secp256k1 };
const hashes: Record<HashName, (bytes: Uint8Array) => Uint8Array> = { 'sha2-256': sha256, 'sha3-256': sha3_256 };
const uncompressedMark = Uint8Array.of(0x04);

/** Judges the signature of one key over bytes, by the curve and the hash that the account holds for the key. */
export function checkKeySignature(key: AccountKey, signature: Uint8Array, bytes: Uint8Array): boolean {
  if (!key.curve || !key.hash || !/^[0-9a-fA-F]{128}$/.test(key.publicKey)) return false;
  return verifyCompact(key.curve, signature, hexToBytes(key.publicKey), hashes[key.hash](bytes));
}

/**
 * Judges r and s of 32 bytes each over a hash; the key is its two coordinates. Flow has no rule against high s, so a
 * second signature can be made from each: its bytes are no identity. Answers false to whatever is malformed.
 */
export function verifyCompact(curve: Curve, signature: Uint8Array, publicKey: Uint8Array, hash: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 64) return false;
  const point = concatBytes(uncompressedMark, publicKey);
  const options = { prehash: false, lowS: false, format: 'compact' } as const;
  // The library throws when a number is out of range, or the key is not a point of the curve.
  return readInput(() => curves[curve].verify(signature, hash, point, options)) ?? false;
}
