import type { Hex } from './node-rpc.ts';

/** Splits a response or log data into 32-byte words, as hexadecimal digits without `0x`. */
export function wordsOf(digits: string): string[] {
  const words: string[] = [];
  for (let at = 0; at + 64 <= digits.length; at += 64) words.push(digits.slice(at, at + 64));
  return words;
}

export function toNumber(word: string): bigint {
  return BigInt(`0x${word}`);
}

export function toSigned(word: string): bigint {
  return BigInt.asIntN(256, toNumber(word));
}

/** Decodes an address from a word; undefined if the word is not an address. */
export function toAddress(word: string): Hex | undefined {
  return word.startsWith('0'.repeat(24)) ? `0x${word.slice(24)}` : undefined;
}

/** Decodes the list at an offset of a response, word by word; undefined if the response has another shape. */
export function listAt(words: readonly string[], place: number): string[] | undefined {
  const start = offsetAt(words, place);
  const count = start === undefined ? undefined : smallNumber(words[start]);
  if (start === undefined || count === undefined) return undefined;
  const list = words.slice(start + 1, start + 1 + count);
  return list.length === count ? list : undefined;
}

/** Decodes the text at an offset of a response. */
export function textAt(words: readonly string[], place: number): string | undefined {
  const start = offsetAt(words, place);
  const bytes = start === undefined ? undefined : smallNumber(words[start]);
  if (start === undefined || bytes === undefined) return undefined;
  const digits = words.slice(start + 1, start + 1 + Math.ceil(bytes / 32)).join('');
  return digits.length < 2 * bytes ? undefined : Buffer.from(digits.slice(0, 2 * bytes), 'hex').toString('utf8');
}

function offsetAt(words: readonly string[], place: number): number | undefined {
  const offset = smallNumber(words[place]);
  return offset === undefined || offset % 32 !== 0 ? undefined : offset / 32;
}

function smallNumber(word: string | undefined): number | undefined {
  return word?.startsWith('0'.repeat(56)) ? Number.parseInt(word.slice(56), 16) : undefined;
}
