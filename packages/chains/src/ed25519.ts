import { readInput } from '@latchkey/kernel';
import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * Verifies an Ed25519 signature by the strict rules of RFC 8032: the scalar is below the group order, points have their canonical encoding,
 * and keys of small order are refused, because one signature would fit every message. Returns false for malformed input.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  return readInput(() => ed25519.verify(signature, message, publicKey, { zip215: false })) ?? false;
}
