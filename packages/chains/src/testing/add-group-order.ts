import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, concatBytes, numberToBytesLE } from '@noble/curves/utils.js';

/** Returns the malleable form of an Ed25519 signature: its scalar plus the group order, which lax verifiers accept too. */
export function addGroupOrder(signature: Uint8Array): Uint8Array {
  const scalar = bytesToNumberLE(signature.subarray(32)) + ed25519.Point.Fn.ORDER;
  return concatBytes(signature.subarray(0, 32), numberToBytesLE(scalar, 32));
}
