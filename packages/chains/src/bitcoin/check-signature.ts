import { readInput } from '@latchkey/kernel';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';

const sighashAll = 1;

/**
 * Judges an ECDSA signature as Bitcoin's script does under the rules of BIP-322: strict DER, low s, and the last byte
 * says that the whole transaction was signed.
 */
export function checkEcdsa(signature: Uint8Array, publicKey: Uint8Array, sighash: Uint8Array): boolean {
  if (signature.at(-1) !== sighashAll) return false;
  return verifyDer(signature.subarray(0, -1), publicKey, sighash);
}

/** Judges a strictly DER-encoded signature with low s over a hash. Answers false to whatever is malformed. */
export function verifyDer(signature: Uint8Array, publicKey: Uint8Array, hash: Uint8Array): boolean {
  const options = { prehash: false, lowS: true, format: 'der' } as const;
  return readInput(() => secp256k1.verify(signature, hash, publicKey, options)) ?? false;
}

/** Judges a Taproot signature: 64 bytes sign everything; a 65th byte may only say the same. */
export function checkSchnorr(
  signature: Uint8Array,
  publicKey: Uint8Array,
  sighash: (hashType: 0 | 1) => Uint8Array,
): boolean {
  const saysAll = signature.length === 65 && signature[64] === sighashAll;
  if (signature.length !== 64 && !saysAll) return false;
  const hash = sighash(saysAll ? 1 : 0);
  return readInput(() => schnorr.verify(signature.subarray(0, 64), hash, publicKey)) ?? false;
}
