import { hexToBytes } from '@noble/hashes/utils.js';
import { toChecksumAddress } from './checksum-address.ts';

/**
 * The EIP-55 spelling of an address. Capitals are a checksum where both cases occur, so mixed ones must be right;
 * digits all in one case carry none and are taken as they are. Ronin's wallets write `ronin:` for `0x`.
 */
export function normalizeEvmAddress(address: string): string | undefined {
  const digits = typeof address === 'string' ? /^(?:0x|ronin:)([0-9a-fA-F]{40})$/.exec(address)?.[1] : undefined;
  if (digits === undefined) return undefined;
  const checksummed = toChecksumAddress(hexToBytes(digits));
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || `0x${digits}` === checksummed ? checksummed : undefined;
}
