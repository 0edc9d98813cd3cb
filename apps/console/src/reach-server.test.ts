import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { loadMessages } from './messages/index.ts';
import { fetchFromServer, isLoadFailure, Unreachable } from './reach-server.ts';

await loadMessages('en');

const answerWith = (t: TestContext, answer: () => Promise<Response>) => t.mock.method(globalThis, 'fetch', answer);
const unreachable = (message: RegExp, isTimeout: boolean) => (error: unknown) => {
  assert.ok(error instanceof Unreachable);
  assert.match(error.message, message);
  assert.equal(error.isTimeout, isTimeout);
  return true;
};

describe('a request to the server', () => {
  test('that gets no response says so, and does not blame anything else', async (t) => {
    answerWith(t, () => Promise.reject(new TypeError('Failed to fetch')));
    await assert.rejects(fetchFromServer('https://latchkey.test/'), unreachable(/server could not be reached/, false));
  });

  test('says that the browser is offline if it is', async (t) => {
    answerWith(t, () => Promise.reject(new TypeError('Failed to fetch')));
    const { navigator } = globalThis;
    Object.defineProperty(globalThis, 'navigator', { value: { onLine: false }, configurable: true });
    t.after(() => Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true }));
    await assert.rejects(fetchFromServer('https://latchkey.test/'), unreachable(/You are offline/, false));
  });

  test('that takes too long ends with a message, and a write does not claim that nothing was saved', async (t) => {
    t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort());
    answerWith(t, () => Promise.reject(new DOMException('The operation timed out.', 'TimeoutError')));
    await assert.rejects(fetchFromServer('https://latchkey.test/'), unreachable(/did not respond within 30 s/, true));
    await assert.rejects(
      fetchFromServer('https://latchkey.test/', { method: 'PUT' }),
      unreachable(/may or may not have been saved/, true),
    );
  });

  test('that the page aborted keeps its own error', async (t) => {
    const problem = new DOMException('Aborted.', 'AbortError');
    answerWith(t, () => Promise.reject(problem));
    await assert.rejects(fetchFromServer('https://latchkey.test/', { signal: AbortSignal.abort() }), problem);
  });

  test('treats the error page of a proxy as an unavailable server, and the server’s own errors as they are', async (t) => {
    for (const status of [502, 503, 504]) {
      const fetching = answerWith(t, async () => new Response('<h1>Bad Gateway</h1>', { status }));
      await assert.rejects(fetchFromServer('https://latchkey.test/'), unreachable(/may be restarting/, false));
      fetching.mock.mockImplementation(async () => Response.json({ error: { code: 'UNAVAILABLE' } }, { status }));
      const response = await fetchFromServer('https://latchkey.test/');
      assert.deepEqual([response.status, await response.json()], [status, { error: { code: 'UNAVAILABLE' } }]);
      fetching.mock.restore();
    }
  });
});

test('app files that cannot be loaded are distinguished from other errors, in every browser', () => {
  for (const message of [
    'Unable to preload CSS for /console/assets/view-Ab12.css',
    'Failed to fetch dynamically imported module: https://latchkey.test/console/assets/view-Ab12.js',
    'error loading dynamically imported module: https://latchkey.test/console/assets/view-Ab12.js',
    'Importing a module script failed.',
  ])
    assert.ok(isLoadFailure(new TypeError(message)), message);
  assert.ok(!isLoadFailure(new TypeError('Failed to fetch')));
});
