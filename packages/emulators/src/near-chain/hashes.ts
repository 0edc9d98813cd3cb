import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/** The hash that NEAR names transactions, receipts, chunks and blocks by, as it is written: base58 of SHA-256. */
export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return base58.encode(hash.digest());
}

/** A name that follows from another one, a height and a place, as receipts follow from what made them. */
export function idFrom(base: string, height: number, index: number): string {
  return hashOf(base, `/${height}/${index}`);
}

/** The bytes of a base58 text; undefined when it has other letters. */
export function readBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}

export function isHash(text: string): boolean {
  return readBase58(text)?.length === 32;
}

/** What stands where a field holds nothing. */
export const noHash = '11111111111111111111111111111111';
