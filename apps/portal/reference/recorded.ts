import type { Example, Examples } from '@latchkey/server/examples';

/** Calls that a test recorded, by method and path. */
export type Recorded = Readonly<Examples>;

/** Returns the response of a call as a page shows it: without the headers that every response has. */
export function answerText({ location, type, body }: Example['response']): string {
  if (body !== undefined) return typeof body === 'string' ? body : JSON.stringify(body, undefined, 2);
  if (location !== undefined) return `location: ${location}`;
  return type === undefined ? 'No content.' : `Bytes of ${type}.`;
}
