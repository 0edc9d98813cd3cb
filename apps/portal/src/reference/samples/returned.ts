import { returnedBy } from '../../../reference/own-lists.ts';
import { isObject } from '../../is-object.ts';

const key = 'latchkey.returned';
const longest = 4_000;

/** Keeps the ids that an operation returned for the samples of other operations, in this tab only. */
export function keepReturned(route: string, text: string): void {
  if (!returnedBy.has(route)) return;
  try {
    const body: unknown = JSON.parse(text);
    if (!isObject(body)) return;
    const ids = Object.entries(body).filter(([, value]) => typeof value === 'string' && value.length <= longest);
    sessionStorage.setItem(key, JSON.stringify({ ...readAll(), [route]: Object.fromEntries(ids) }));
  } catch {
    // Without storage, samples stay as they were recorded.
  }
}

/** Returns what an operation returned in this tab; undefined if it was not sent. */
export function readReturned(route: string): unknown {
  try {
    return readAll()[route];
  } catch {
    return undefined;
  }
}

function readAll(): Record<string, unknown> {
  const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}');
  return isObject(kept) ? kept : {};
}
