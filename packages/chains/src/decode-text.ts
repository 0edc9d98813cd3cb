import { readInput } from '@latchkey/kernel';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { Coder } from '@scure/base';

/**
 * The bytes of an encoded text, or undefined when it is not a string, not canonical or of another length.
 * Long texts are refused before they are decoded, for base58 takes quadratic time.
 */
export function decodeText(
  coder: Pick<Coder<Uint8Array, string>, 'decode'>,
  text: unknown,
  byteLength: number,
): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length > 2 * byteLength + 8) return undefined;
  const bytes = readInput(() => coder.decode(text));
  return bytes?.length === byteLength ? bytes : undefined;
}

/** The text of bytes in UTF-8, or undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return readInput(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** Hexadecimal digits, with or without `0x` before them. */
export const hexText: Pick<Coder<Uint8Array, string>, 'decode'> = {
  decode: (text) => hexToBytes(text.replace(/^0x/, '')),
};
