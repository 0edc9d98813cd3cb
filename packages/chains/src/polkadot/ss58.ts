import { equalBytes } from '@noble/curves/utils.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';

export interface Ss58 {
  prefix: number;
  /** The 32 bytes of the account: a public key, or the hash of one. */
  account: Uint8Array;
}

const checksumLength = 2;
const accountLength = 32;
const maxTextLength = 60;
// Prefixes above 63 take two bytes, which hold 14 bits.
const maxPrefix = 16_383;

/** Decodes an SS58 address; undefined for a wrong checksum, another length or a non-minimal encoding. */
export function decodeSs58(text: string): Ss58 | undefined {
  const bytes = decodeBase58(text);
  if (!bytes) return undefined;
  const [first = 0, second = 0] = bytes;
  const prefixLength = first < 64 ? 1 : 2;
  if (first > 127 || bytes.length !== prefixLength + accountLength + checksumLength) return undefined;
  const prefix = prefixLength === 1 ? first : ((first & 0x3f) << 2) | (second >> 6) | ((second & 0x3f) << 8);
  const decoded = { prefix, account: bytes.slice(prefixLength, prefixLength + accountLength) };
  return equalBytes(addressBytes(decoded), bytes) ? decoded : undefined;
}

/** Base58 takes quadratic time, so text that is too long for an address is not decoded. */
function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return text.length > maxTextLength ? undefined : base58.decode(text);
  } catch {
    return undefined;
  }
}

export function encodeSs58(address: Ss58): string {
  return base58.encode(addressBytes(address));
}

function addressBytes({ prefix, account }: Ss58): Uint8Array {
  if (prefix < 0 || prefix > maxPrefix) throw new Error(`An SS58 prefix must be a number from 0 to ${maxPrefix}.`);
  const prefixBytes = prefix < 64 ? [prefix] : [((prefix & 0xfc) >> 2) | 0x40, (prefix >> 8) | ((prefix & 0x03) << 6)];
  const body = concatBytes(Uint8Array.from(prefixBytes), account);
  const checksum = blake2b(concatBytes(utf8ToBytes('SS58PRE'), body)).subarray(0, checksumLength);
  return concatBytes(body, checksum);
}
