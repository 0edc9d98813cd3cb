import { readInput } from '@latchkey/kernel';
import { hexToBytes } from '@noble/hashes/utils.js';
// The whole library is large, and only needed to verify a wallet.
import { Address } from '@ton/core/dist/address/Address.js';

/** The networks by their global id. An account has the same key on each. */
export const tonChains: readonly string[] = ['-239', '-3'];
const testnet = '-3';

export interface TonAccount {
  workchain: number;
  hash: Uint8Array;
}

// 36 bytes in one of the two base64 alphabets, never mixed.
const friendlyForm = /^(?:[A-Za-z0-9_-]{48}|[A-Za-z0-9+/]{48})$/;

function parseFriendly(text: string, chain: string): string | undefined {
  if (!friendlyForm.test(text)) return undefined;
  const read = readInput(() => Address.parseFriendly(text));
  return read === undefined || (read.isTestOnly && chain !== testnet) ? undefined : read.address.toRawString();
}

/** Returns the raw form in lower case, `0:` and 64 hexadecimal digits. Wallets also write it in base64 with a checksum. */
export function normalizeTonAddress(text: string, chain: string): string | undefined {
  const raw = parseFriendly(text, chain) ?? text;
  return /^(?:0|-1):[0-9a-fA-F]{64}$/.test(raw) ? raw.toLowerCase() : undefined;
}

/** Splits an address that is already in canonical form. */
export function splitTonAddress(address: string): TonAccount {
  const [workchain = '', hash = ''] = address.split(':');
  return { workchain: Number(workchain), hash: hexToBytes(hash) };
}
