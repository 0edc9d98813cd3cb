import { bytesToHex } from '@noble/hashes/utils.js';
import { bech32, bech32m } from '@scure/base';

export type NearChain = 'mainnet' | 'testnet';

export const nearChains: readonly NearChain[] = ['mainnet', 'testnet'];

const foreignSuffix: Readonly<Record<string, string>> = { mainnet: '.testnet', testnet: '.near' };

/** Returns an account id unchanged, since NEAR ids have only one form; undefined if it cannot be an account of that network. */
export function parseAccountId(text: string, chain: string): string | undefined {
  if (text.length < 2 || text.length > 64 || !/^[a-z\d]+([-_.][a-z\d]+)*$/.test(text)) return undefined;
  return text.endsWith(foreignSuffix[chain] ?? '') || isBech32(text) ? undefined : text;
}

/**
 * Addresses of Cosmos, Bitcoin, Cardano and others look like NEAR account ids. Their checksum, which a name does not have by chance,
 * identifies them.
 */
function isBech32(text: string): boolean {
  return bech32.decodeUnsafe(text, false) !== undefined || bech32m.decodeUnsafe(text, false) !== undefined;
}

/** Whether the account is the implicit account of this key: its id is the key in hexadecimal. */
export function isImplicitAccountOf(accountId: string, publicKey: Uint8Array): boolean {
  return accountId === bytesToHex(publicKey);
}
