import { fieldOf } from '@latchkey/adapter-kit';

/** Fields that every node gives; one that does not is not speaking the protocol, and nothing it says is used. */
export function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  // PostgreSQL has no text with a NUL, and nothing on NEAR is named so.
  if (typeof field !== 'string' || field.includes('\0')) throw wrong(name);
  return field;
}

export function numberOf(value: unknown, name: string): number {
  const field = fieldOf(value, name);
  if (typeof field !== 'number' || !Number.isSafeInteger(field)) throw wrong(name);
  return field;
}

/** A whole number that travels as a text, since no JSON number holds it. */
export function digitsOf(value: unknown, name: string): string {
  const field = textOf(value, name);
  if (!/^\d{1,20}$/.test(field)) throw wrong(name);
  return field;
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name);
  if (!Array.isArray(field)) throw wrong(name);
  return field;
}

function wrong(name: string): Error {
  return new Error(`A NEAR node sent no usable ${name}.`);
}
