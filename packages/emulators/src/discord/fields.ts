import { invalidField } from './errors.ts';
import { isSnowflake } from './snowflake.ts';
import type { Snowflake } from './state/types.ts';

/** The fields of an untrusted JSON object. A missing field is undefined. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readText(fields: Fields, name: string, most = 2000): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidField(name, 'STRING_TYPE_CONVERT', 'Could not interpret "{}" as string.');
  if (value.length > most) {
    throw invalidField(name, 'BASE_TYPE_MAX_LENGTH', `Must be ${most} or fewer in length.`);
  }
  return value;
}

export function readRequiredText(fields: Fields, name: string, most = 100): string {
  const value = readText(fields, name, most);
  if (value === undefined || value === '') throw invalidField(name, 'BASE_TYPE_REQUIRED', 'This field is required');
  return value;
}

export function readNumber(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw invalidField(name, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`);
}

export function readFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw invalidField(name, 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.');
}

/** Parses permission bits: a decimal string, because they exceed JSON numbers. */
export function readBits(fields: Fields, name: string): bigint | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (/^\d{1,20}$/.test(String(value))) return BigInt(String(value));
  throw invalidField(name, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`);
}

export function readList(fields: Fields, name: string): readonly unknown[] | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw invalidField(name, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType.');
}

export function readIds(fields: Fields, name: string): Snowflake[] | undefined {
  return readList(fields, name)?.map((id, index) => {
    if (isSnowflake(id)) return id;
    throw invalidField(`${name}.${index}`, 'NUMBER_TYPE_COERCE', `Value "${String(id)}" is not snowflake.`);
  });
}

/** Parses an integer of the query string between bounds. */
export function readQueryNumber(
  query: URLSearchParams,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value)) throw invalidField(name, 'NUMBER_TYPE_COERCE', `Value "${text}" is not int.`);
  if (value < least) {
    throw invalidField(name, 'NUMBER_TYPE_MIN', `int value should be greater than or equal to ${least}.`);
  }
  if (value > most) throw invalidField(name, 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${most}.`);
  return value;
}
