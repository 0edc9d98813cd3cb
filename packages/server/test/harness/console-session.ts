import assert from 'node:assert/strict';
import type { TestServer } from './test-server.ts';

/** The header that pages of the console send. */
export const onConsole = { 'x-latchkey-console': '1' };

/** Signs a browser in to the console with a credential; returns the headers that its pages send from then on. */
export async function consoleSession(
  server: TestServer,
  credential: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const answer = await server.request('POST', '/latchkey/session', { headers: { ...credential, ...onConsole } });
  assert.equal(answer.status, 200, answer.text);
  return { ...onConsole, cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' };
}
