import { base58 } from '@scure/base';
import { decodeText } from '../decode-text.ts';

/** The public key that a Solana address is, or undefined for what is no address. Base58 has one spelling for 32 bytes. */
export function parseSolanaAddress(address: string): Uint8Array | undefined {
  return decodeText(base58, address, 32);
}
