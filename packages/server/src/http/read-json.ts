import { AppError } from '@latchkey/kernel';

export const maxDepth = 64;

/**
 * Reads JSON that is safe to hand on: no repeated keys (two readers could see two values), no `__proto__`, no endless
 * nesting, no NUL (PostgreSQL cannot hold it) and no half characters.
 */
export function readJson(text: string): unknown {
  scan(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('INVALID_BODY', 'The body is not valid JSON.');
  }
  if (text.includes('\\u') && !isClean(value)) {
    throw new AppError('INVALID_BODY', 'The body has a text with a NUL or half a character in it.');
  }
  return value;
}

const quote = 34;
const backslash = 92;

/** One pass over the text that follows nesting and keys. Broken JSON is left for JSON.parse to refuse. */
function scan(text: string): void {
  const keys: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        if (isKeyNext) noteKey(keys.at(-1), text.slice(at + 1, end));
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

function noteKey(seen: Set<string> | undefined, raw: string): void {
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
  if (Array.isArray(value)) return value.every(isClean);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).every(([key, item]) => isCleanText(key) && isClean(item));
  return true;
}

/** Text that every part of the system can hold unchanged. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
