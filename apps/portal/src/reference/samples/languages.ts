import { writeCurl } from '../try-it/write-curl.ts';
import { type Call, writeClient } from './write-client.ts';
import { writeFetch } from './write-fetch.ts';
import { writeGo } from './write-go.ts';
import { writePython } from './write-python.ts';

/** The languages that examples are shown in. */
export const languages = {
  curl: { title: 'curl', write: ({ prepared }: Call) => writeCurl(prepared) },
  client: { title: 'TypeScript, @latchkey/client', write: writeClient },
  fetch: { title: 'TypeScript, fetch', write: ({ prepared }: Call) => writeFetch(prepared) },
  python: { title: 'Python', write: ({ prepared }: Call) => writePython(prepared) },
  go: { title: 'Go', write: ({ prepared }: Call) => writeGo(prepared) },
} as const;

export type Language = keyof typeof languages;
export const languageNames = ['curl', 'client', 'fetch', 'python', 'go'] as const satisfies readonly Language[];
