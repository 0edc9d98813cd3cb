import { readInput } from '@latchkey/kernel';
import { ed25519 } from '@noble/curves/ed25519.js';

/**
 * Verifies an Ed25519 signature by the strict rules of RFC 8032: the scalar is below the group's order, points are spelled
 * in their one canonical way, and a key of small order is refused, for with such a key one signature fits every message.
 * Answers false to whatever is malformed.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  return readInput(() => ed25519.verify(signature, message, publicKey, { zip215: false })) ?? false;
}
