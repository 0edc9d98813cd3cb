import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { twox128 } from './twox.ts';

/** Where a pallet keeps the value of some keys, in hex. With fewer keys than the map has: the start of all such places. */
export function storageKey(pallet: string, item: string, ...keys: readonly Uint8Array[]): string {
  const names = [twox128(utf8ToBytes(pallet)), twox128(utf8ToBytes(item))];
  return `0x${bytesToHex(concatBytes(...names, ...keys.map(hashed)))}`;
}

// Every map that is read here hashes its keys in this way and puts the key behind the hash.
function hashed(key: Uint8Array): Uint8Array {
  return concatBytes(blake2b(key, { dkLen: hashLength }), key);
}

const hashLength = 16;

/** A number as a key: 4 bytes, the lowest first. */
export function numberKey(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** The last key of a place, as a number, when its other keys are known. */
export function lastNumber(place: string, start: string): bigint | undefined {
  const rest = place.slice(start.length + 2 * hashLength);
  if (!place.startsWith(start) || !/^[0-9a-f]{8}$/.test(rest)) return undefined;
  return BigInt(`0x${rest.match(/../g)?.reverse().join('')}`);
}
