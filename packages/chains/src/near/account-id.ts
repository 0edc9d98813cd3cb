import { bytesToHex } from '@noble/hashes/utils.js';

export type NearChain = 'mainnet' | 'testnet';

export const nearChains: readonly NearChain[] = ['mainnet', 'testnet'];

const foreignSuffix: Readonly<Record<string, string>> = { mainnet: '.testnet', testnet: '.near' };

/** An account id as it stands, for NEAR has no second spelling; undefined for what cannot be an account of that network. */
export function parseAccountId(text: string, chain: string): string | undefined {
  if (text.length < 2 || text.length > 64 || !/^[a-z\d]+([-_.][a-z\d]+)*$/.test(text)) return undefined;
  return text.endsWith(foreignSuffix[chain] ?? '') ? undefined : text;
}

/** Whether the account is the one that comes into being with this key: its id is the key in hexadecimal. */
export function isImplicitAccountOf(accountId: string, publicKey: Uint8Array): boolean {
  return accountId === bytesToHex(publicKey);
}
