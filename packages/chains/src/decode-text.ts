import { readInput } from '@latchkey/kernel';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { Coder } from '@scure/base';

/**
 * Decodes text to bytes. Returns undefined if it is not a string, not canonical or of another length. Long text is refused before decoding,
 * because base58 takes quadratic time.
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

/** Decodes UTF-8. Returns undefined for invalid bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return readInput(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** Decodes hexadecimal digits, with or without a leading `0x`. */
export const hexText: Pick<Coder<Uint8Array, string>, 'decode'> = {
  decode: (text) => hexToBytes(text.replace(/^0x/, '')),
};
