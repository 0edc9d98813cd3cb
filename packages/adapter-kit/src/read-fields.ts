import { isObject } from '@latchkey/kernel';
/** A response does not match its service's published format; the message says what is wrong with it. */
export class Malformed extends Error {
  override name = 'Malformed';
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown, what: string): Fields {
  if (!isObject(value)) throw new Malformed(`${what} is not an object`);
  return { ...value };
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Malformed(`${what} is not a list`);
  return value;
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Malformed(`${what} is not a string`);
  return value;
}

/** Parses an id or address: text that is never empty. */
export function nameOf(value: unknown, what: string): string {
  const text = textOf(value, what);
  if (text === '') throw new Malformed(`${what} is empty`);
  return text;
}

/** Parses a non-negative integer and returns its digits. Refuses numbers that JSON cannot represent exactly. */
export function digitsOf(value: unknown, what: string): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,80}$/.test(text)) throw new Malformed(`${what} is not an integer`);
  return text.replace(/^0+(?=\d)/, '');
}

/** Parses the decimals of a token: rarely more than 24, never a number that could exhaust memory. */
export function decimalsOf(value: unknown, what: string): number {
  const decimals = Number(digitsOf(value, what));
  if (decimals > 255) throw new Malformed(`${what} is too large`);
  return decimals;
}

/** Returns a field of an untrusted response; undefined if it is missing. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
