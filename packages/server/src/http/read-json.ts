import { AppError } from '@latchkey/kernel';

export const maxDepth = 64;
export const maxKeys = 5_000;

// Only texts with one of these can hold what JSON.parse turns into something else or PostgreSQL cannot hold.
const suspect = /\\u|\d[eE]|(?<!\d)\d{300}/;

/**
 * Reads JSON that is safe to hand on: no repeated keys (two readers could see two values), no `__proto__`, no endless
 * nesting, no flood of keys, no NUL (PostgreSQL cannot hold it), no half characters, and no number that would be read
 * as infinite and then written as null.
 */
export function readJson(text: string): unknown {
  scan(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('INVALID_BODY', 'The body is not valid JSON.');
  }
  if (suspect.test(text) && !isClean(value)) {
    throw new AppError('INVALID_BODY', 'The body has a NUL, half a character or a number that is too large in it.');
  }
  return value;
}

const quote = 34;
const backslash = 92;

/** One pass over the text that follows nesting and keys. Broken JSON is left for JSON.parse to refuse. */
function scan(text: string): void {
  const keys: (Set<string> | undefined)[] = [];
  let keyCount = 0;
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        if (isKeyNext) noteKey(keys.at(-1), text.slice(at + 1, end), ++keyCount);
        isKeyNext = false;
        at = end;
        break;
      }
      case 123: // {
        keys.push(new Set());
        isKeyNext = true;
        break;
      case 91: // [
        keys.push(undefined);
        isKeyNext = false;
        break;
      case 125: // }
      case 93: // ]
        keys.pop();
        isKeyNext = false;
        break;
      case 44: // ,
        isKeyNext = keys.at(-1) !== undefined;
        break;
    }
    if (keys.length > maxDepth)
      throw new AppError('INVALID_BODY', `The body is nested deeper than ${maxDepth} levels.`);
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return text.length;
}

function noteKey(seen: Set<string> | undefined, raw: string, count: number): void {
  if (count > maxKeys) throw new AppError('INVALID_BODY', `The body has more than ${maxKeys} keys.`);
  const key = raw.includes('\\') ? decodeKey(raw) : raw;
  if (key === '__proto__') throw new AppError('INVALID_BODY', 'The body has a key that is not allowed: __proto__.');
  if (seen?.has(key))
    throw new AppError('INVALID_BODY', `The body has the key ${JSON.stringify(key.slice(0, 64))} twice.`);
  seen?.add(key);
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

/** Text that every part of the system can hold unchanged. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
