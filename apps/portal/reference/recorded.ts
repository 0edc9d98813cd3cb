import type { Example, Examples } from '@latchkey/server/examples';

/** Calls that a test made and kept, by method and path. */
export type Recorded = Readonly<Examples>;

/** What a call was answered with, as a page shows it: without the headers that every answer has. */
export function answerText({ location, type, body }: Example['response']): string {
  if (body !== undefined) return typeof body === 'string' ? body : JSON.stringify(body, undefined, 2);
  if (location !== undefined) return `location: ${location}`;
  return type === undefined ? 'No content.' : `Bytes of ${type}.`;
}
