import { readInput } from '@latchkey/kernel';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { addressOfPoint } from './checksum-address.ts';

// Wallets write the recovery bit as 27 and 28, some hardware as 0 and 1.
const recoveryBits = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

/**
 * Returns the checksummed address whose key signed the hash, from the 65 bytes r, s and v. Returns undefined if they are not a signature,
 * or are the malleable high-s form, which EIP-2 forbids because anyone who saw the low-s form can derive it.
 */
export function recoverSigner(hash: Uint8Array, signature: Uint8Array): string | undefined {
  const recovery = recoveryBits.get(signature[64] ?? -1);
  if (signature.length !== 65 || recovery === undefined) return undefined;
  // The library throws when r or s is out of range, or r is not the x coordinate of a point.
  const point = readInput(() => {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64)).addRecoveryBit(recovery);
    return parsed.hasHighS() ? undefined : parsed.recoverPublicKey(hash).toBytes(false);
  });
  return point && addressOfPoint(point);
}

// EIP-191 and EIP-712 sign with 27 and 28, where the curve's own recovery bit is 0 and 1.
const recoveryOffset = 27;

/** Returns a canonical (low-s) signature as 0x and r, s, v. The same key and hash always give the same one. */
export function signRecoverably(privateKey: Uint8Array, hash: Uint8Array): string {
  const signature = secp256k1.sign(hash, privateKey, { prehash: false, lowS: true, format: 'recovered' });
  const [recovery = 0] = signature;
  return `0x${bytesToHex(signature.subarray(1))}${(recovery + recoveryOffset).toString(16)}`;
}

/** Expands a 64-byte signature (EIP-2098), which stores the recovery bit in the highest bit of s, to 65 bytes. */
export function expandCompactSignature(signature: Uint8Array): Uint8Array {
  const sHead = signature[32] ?? 0;
  const expanded = Uint8Array.of(...signature, 27 + (sHead >> 7));
  expanded[32] = sHead & 0x7f;
  return expanded;
}
