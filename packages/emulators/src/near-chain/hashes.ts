import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/** Returns the hash that identifies transactions, receipts, chunks and blocks on NEAR: base58 of SHA-256. */
export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return base58.encode(hash.digest());
}

/** Derives an id from another one, a height and an index, as receipts are derived from their origin. */
export function idFrom(base: string, height: number, index: number): string {
  return hashOf(base, `/${height}/${index}`);
}

/** Decodes base58; undefined for other letters. */
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

/** The value of an empty hash field. */
export const noHash = '11111111111111111111111111111111';
