import { AppError } from '@latchkey/kernel';

export const maxDepth = 64;
export const maxKeys = 5_000;

// Only texts that match this can contain what JSON.parse changes or PostgreSQL cannot store. An exponent must be part
// of a number: hexadecimal addresses are full of digits before an e.
const suspect = /\\u|(?:^|[[:,\s])-?\d[\d.]*[eE]|(?<!\d)\d{300}/;

/**
 * Parses JSON that is safe to pass on: no duplicate keys (two readers could see two values), no `__proto__`, limited
 * nesting, a limited number of keys, no NUL (PostgreSQL cannot store it), no unpaired surrogates, and no number that
 * would be parsed as infinite and then written as null.
 */
export function readJson(text: string): unknown {
  const keyCount = followKeys(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('INVALID_BODY', 'The body is not valid JSON.');
  }
  // A duplicate key lowers the count of parsed keys, so most bodies need no check of each key.
  if (countKeys(value) !== keyCount || text.includes('__proto__') || text.includes('\\u')) followKeys(text, noteKey);
  if (suspect.test(text) && !isClean(value)) {
    throw new AppError(
      'INVALID_BODY',
      'The body contains a NUL character, an unpaired surrogate or a number that is too large.',
    );
  }
  return value;
}

const quote = 34;
const backslash = 92;

type NoteKey = (seen: Set<string>, raw: string) => void;

/** Scans the text once, tracks nesting and counts keys. Malformed JSON is left for JSON.parse to refuse. */
function followKeys(text: string, note?: NoteKey): number {
  /** The open containers: false for an array, the keys so far for an object. */
  const open: (Set<string> | boolean)[] = [];
  let keyCount = 0;
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        if (isKeyNext) {
          if (++keyCount > maxKeys) throw new AppError('INVALID_BODY', `The body has more than ${maxKeys} keys.`);
          const seen = open.at(-1);
          if (seen instanceof Set) note?.(seen, text.slice(at + 1, end));
        }
        isKeyNext = false;
        at = end;
        break;
      }
      case 123: // {
        open.push(note === undefined || new Set<string>());
        isKeyNext = true;
        break;
      case 91: // [
        open.push(false);
        isKeyNext = false;
        break;
      case 125: // }
      case 93: // ]
        open.pop();
        isKeyNext = false;
        break;
      case 44: // ,
        isKeyNext = open.length > 0 && open[open.length - 1] !== false;
        break;
    }
    if (open.length > maxDepth)
      throw new AppError('INVALID_BODY', `The body is nested deeper than ${maxDepth} levels.`);
  }
  return keyCount;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key]);
  return count;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return text.length;
}

function noteKey(seen: Set<string>, raw: string): void {
  const key = raw.includes('\\') ? decodeKey(raw) : raw;
  if (key === '__proto__')
    throw new AppError('INVALID_BODY', 'The body contains a key that is not allowed: __proto__.');
  if (seen.has(key))
    throw new AppError('INVALID_BODY', `The body contains the key ${JSON.stringify(key.slice(0, 64))} twice.`);
  seen.add(key);
}

function decodeKey(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    return raw;
  }
}

function isClean(value: unknown): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isClean);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).every(([key, item]) => isCleanText(key) && isClean(item));
  return true;
}

/** Text that every part of the system can store unchanged. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
