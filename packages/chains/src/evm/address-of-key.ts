import { secp256k1 } from '@noble/curves/secp256k1.js';
import { addressOfPoint } from './checksum-address.ts';

/** Returns the address of this private key, in EIP-55 form. */
export function evmAddressOf(key: Uint8Array): string {
  return addressOfPoint(secp256k1.getPublicKey(key, false));
}
