import { base58 } from '@scure/base';
import { decodeText } from '../decode-text.ts';

/** The public key of a Solana address, or undefined for anything else. Base58 has one encoding for 32 bytes. */
export function parseSolanaAddress(address: string): Uint8Array | undefined {
  return decodeText(base58, address, 32);
}
