import { fileURLToPath } from 'node:url';

const settleHead = fileURLToPath(new URL('../../src/client/settle-head.ts', import.meta.url));

/** Lets what writes the head wait by src/client/settle-head.ts, where it asks the browser for the next frame. */
export default function waitForPage(source: string): string {
  const waiting = source
    .replace(/\brequestAnimationFrame\(/g, 'requestHead(')
    .replace(/\bcancelAnimationFrame\(/g, 'cancelHead(');
  if (waiting === source)
    throw new Error('react-helmet-async no longer asks for a frame. Look at plugins/loaders/settle-head.ts.');
  return `import { cancelHead, requestHead } from ${JSON.stringify(settleHead)};\n${waiting}`;
}
