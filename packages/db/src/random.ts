import { randomBytes } from 'node:crypto';
import type { Random } from '@latchkey/kernel';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Uniformly random letters and digits: bytes after the last full run of the alphabet are discarded, not wrapped. */
function idFrom(bytes: (length: number) => Uint8Array, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let id = '';
  while (id.length < length) {
    const drawn = bytes(length * 2);
    for (let at = 0; at < drawn.length && id.length < length; at += 1) {
      const byte = drawn[at] ?? limit;
      if (byte < limit) id += alphabet[byte % alphabet.length];
    }
  }
  return id;
}

export function randomFrom(bytes: (length: number) => Uint8Array): Random {
  return { bytes, id: (length = 21) => idFrom(bytes, length) };
}

const poolBytes = 8192;
let pool = Buffer.alloc(0);
let used = 0;

/**
 * Calling the system costs more than the bytes do, so they are generated ahead. Each is used once and then erased here.
 */
function drawBytes(length: number): Uint8Array {
  if (length > poolBytes / 8) return randomBytes(length);
  if (used + length > pool.length) {
    pool = randomBytes(poolBytes);
    used = 0;
  }
  const drawn = Uint8Array.prototype.slice.call(pool, used, used + length);
  pool.fill(0, used, used + length);
  used += length;
  return drawn;
}

/** The system's randomness. Nothing else reads it directly. */
export const systemRandom: Random = randomFrom(drawBytes);
