import type { EvmSignatures } from '@latchkey/core/ports';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { recoverSigner } from './recover-signer.ts';

/**
 * Returns the hash that personal_sign signs (EIP-191, version E): the message behind a prefix that prevents it from being a transaction.
 */
export function personalSignHash(message: string | Uint8Array): Uint8Array {
  const bytes = typeof message === 'string' ? utf8ToBytes(message) : message;
  return keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes));
}

function recoverPersonalSign(text: string, signature: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined;
  return recoverSigner(personalSignHash(text), hexToBytes(signature.slice(2)));
}

export const evmSignatures: EvmSignatures = { recoverPersonalSign };
