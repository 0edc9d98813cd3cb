import type { EvmSignatures } from '@latchkey/core/ports';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { addressOfPoint } from './checksum-address.ts';

/** What personal_sign signs (EIP-191, version E): the text behind a prefix that keeps it from being a transaction. */
export function personalSignHash(text: string): Uint8Array {
  const bytes = utf8ToBytes(text);
  return keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes));
}

// Wallets write the recovery bit as 27 and 28, some hardware as 0 and 1.
const recoveryBits = new Map([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
]);

function recoverPersonalSign(text: string, signature: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined;
  const bytes = hexToBytes(signature.slice(2));
  const recovery = recoveryBits.get(bytes[64] ?? -1);
  if (recovery === undefined) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64)).addRecoveryBit(recovery);
    if (parsed.hasHighS()) return undefined;
    return addressOfPoint(parsed.recoverPublicKey(personalSignHash(text)).toBytes(false));
  } catch {
    // r or s is out of range, or r is not the x coordinate of a point.
    return undefined;
  }
}

export const evmSignatures: EvmSignatures = { recoverPersonalSign };
