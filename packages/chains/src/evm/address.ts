import { hexToBytes } from '@noble/hashes/utils.js';
import { toChecksumAddress } from './checksum-address.ts';

/**
 * Returns the EIP-55 form of an address. Mixed case is a checksum and must be correct; digits in one case have no checksum and are
 * accepted. Ronin wallets write `ronin:` instead of `0x`.
 */
export function normalizeEvmAddress(address: string): string | undefined {
  const digits = typeof address === 'string' ? /^(?:0x|ronin:)([0-9a-fA-F]{40})$/.exec(address)?.[1] : undefined;
  if (digits === undefined) return undefined;
  const checksummed = toChecksumAddress(hexToBytes(digits));
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || `0x${digits}` === checksummed ? checksummed : undefined;
}
