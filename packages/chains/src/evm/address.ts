import { hexToBytes } from '@noble/hashes/utils.js';
import { toChecksumAddress } from './checksum-address.ts';

/**
 * The EIP-55 spelling of an address. Capitals are a checksum where both cases occur, so mixed ones must be right;
 * digits all in one case carry none and are taken as they are.
 */
export function normalizeEvmAddress(address: string): string | undefined {
  if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) return undefined;
  const digits = address.slice(2);
  const checksummed = toChecksumAddress(hexToBytes(digits));
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || address === checksummed ? checksummed : undefined;
}
