import { fileURLToPath } from 'node:url';

const writeDate = fileURLToPath(new URL('../../src/client/write-date.ts', import.meta.url));

/** Lets dates be written by src/client/write-date.ts in the browser. What the theme shows are days of posts alone. */
export default function plainDates(source: string): string {
  const plain = source.replace(/new Intl\.DateTimeFormat\([^;]*\);/, 'writtenDates;');
  if (plain === source)
    throw new Error('Docusaurus writes dates in another way now. Look at plugins/loaders/plain-dates.ts.');
  return `import { writtenDates } from ${JSON.stringify(writeDate)};\n${plain}`;
}
