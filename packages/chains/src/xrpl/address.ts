import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base58xrp } from '@scure/base';
import { decodeText } from '../decode-text.ts';

/** The networks by id: mainnet, testnet, devnet. An account has the same key on each. */
export const xrplChains: readonly string[] = ['0', '1', '2'];
const mainnet = '0';

const accountIdBytes = 20;
const classicPrefix = Uint8Array.of(0);
const mainnetXPrefix = Uint8Array.of(0x05, 0x44);
const testnetXPrefix = Uint8Array.of(0x04, 0x93);
// Follows the account in an X-address: a flag and the tag, all zero without a tag.
const noTag = new Uint8Array(9);

function checksum(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes)).subarray(0, 4);
}

/** Returns the account between a prefix and a suffix, if the checksum is valid and there is nothing else. */
function parse(text: string, prefix: Uint8Array, suffix: Uint8Array): Uint8Array | undefined {
  const bodyBytes = prefix.length + accountIdBytes + suffix.length;
  const bytes = decodeText(base58xrp, text, bodyBytes + 4);
  if (!bytes) return undefined;
  const accountId = bytes.subarray(prefix.length, prefix.length + accountIdBytes);
  const body = concatBytes(prefix, accountId, suffix);
  return Buffer.compare(bytes, concatBytes(body, checksum(body))) === 0 ? accountId : undefined;
}

export function encodeAccountId(accountId: Uint8Array): string {
  const body = concatBytes(classicPrefix, accountId);
  return base58xrp.encode(concatBytes(body, checksum(body)));
}

/** Returns the classic address of a public key. */
export function addressOfPublicKey(publicKey: Uint8Array): string {
  return encodeAccountId(ripemd160(sha256(publicKey)));
}

/**
 * Returns the classic form (r…) of an address. An X-address is accepted too, on the network it names and without a tag: a tag identifies a
 * customer behind the account, which no key can prove.
 */
export function normalizeXrplAddress(text: string, chain: string): string | undefined {
  const xPrefix = chain === mainnet ? mainnetXPrefix : testnetXPrefix;
  const accountId = parse(text, classicPrefix, new Uint8Array()) ?? parse(text, xPrefix, noTag);
  return accountId && encodeAccountId(accountId);
}
