const mask = 2n ** 64n - 1n;
const [prime1, prime2, prime3, prime4, prime5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
];

/** The hash of a name of a pallet or of one of its items: XXH64 with the seeds 0 and 1, one after the other. */
export function twox128(name: Uint8Array): Uint8Array {
  const hash = new Uint8Array(16);
  const view = new DataView(hash.buffer);
  view.setBigUint64(0, xxh64(name, 0n), true);
  view.setBigUint64(8, xxh64(name, 1n), true);
  return hash;
}

/** XXH64 of up to 31 bytes. Longer input takes another way, and no name is that long. */
function xxh64(bytes: Uint8Array, seed: bigint): bigint {
  if (bytes.length > 31) throw new Error('Only names of up to 31 bytes can be hashed.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = (seed + prime5 + BigInt(bytes.length)) & mask;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    const lane = (rotate((view.getBigUint64(at, true) * prime2) & mask, 31n) * prime1) & mask;
    hash = (rotate(hash ^ lane, 27n) * prime1 + prime4) & mask;
  }
  if (at + 4 <= bytes.length) {
    hash = (rotate(hash ^ ((BigInt(view.getUint32(at, true)) * prime1) & mask), 23n) * prime2 + prime3) & mask;
    at += 4;
  }
  for (; at < bytes.length; at += 1) {
    hash = (rotate(hash ^ ((BigInt(view.getUint8(at)) * prime5) & mask), 11n) * prime1) & mask;
  }
  hash = ((hash ^ (hash >> 33n)) * prime2) & mask;
  hash = ((hash ^ (hash >> 29n)) * prime3) & mask;
  return hash ^ (hash >> 32n);
}

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & mask;
}
