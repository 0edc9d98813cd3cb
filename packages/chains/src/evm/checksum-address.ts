import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';

/** Recent results. The same few addresses repeat, and the hash is most of the cost. */
const spellings = new LRUCache<string, string>({ max: 10_000 });

export function toChecksumAddress(address: Uint8Array): string {
  const hex = bytesToHex(address);
  const known = spellings.get(hex);
  if (known !== undefined) return known;
  const spelling = spell(hex);
  spellings.set(hex, spelling);
  return spelling;
}

/** EIP-55: a letter is upper case if the hash digit at its position is 8 or more. */
function spell(hex: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(hex)));
  const letters = Array.from(hex, (letter, place) => (Number(`0x${hash[place]}`) >= 8 ? letter.toUpperCase() : letter));
  return `0x${letters.join('')}`;
}

/** Returns the address of a public key, given as an uncompressed point: the end of the hash of both coordinates. */
export function addressOfPoint(point: Uint8Array): string {
  return toChecksumAddress(keccak_256(point.subarray(1)).subarray(-20));
}
