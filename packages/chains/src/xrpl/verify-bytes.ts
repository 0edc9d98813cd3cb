import { readInput } from '@latchkey/kernel';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { verifyEd25519 } from '../ed25519.ts';

const ed25519Mark = 0xed;

/** The bytes of hexadecimal text in either case, or undefined. */
export function parseHex(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length % 2 === 1 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  return new Uint8Array(Buffer.from(text, 'hex'));
}

/**
 * Judges a signature by a key as the ledger spells it: 33 bytes, of which the first is ED for Ed25519. On secp256k1 the
 * signature must be strict DER with the low half of s, as the ledger demands.
 */
export function verifyXrplBytes(bytes: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  if (publicKey.length !== 33) return false;
  if (publicKey[0] === ed25519Mark) return verifyEd25519(signature, bytes, publicKey.subarray(1));
  const hash = sha512(bytes).subarray(0, 32);
  const options = { prehash: false, lowS: true, format: 'der' } as const;
  return readInput(() => secp256k1.verify(signature, hash, publicKey, options)) ?? false;
}
