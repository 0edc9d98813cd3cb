import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { askAgain, shownForSeconds } from './live.ts';

/** A page that shows one list, and a server that responds when the test says so. */
function page() {
  const queries = new QueryClient();
  const requests: PromiseWithResolvers<string>[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ['GET /members'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => {
      const answer = Promise.withResolvers<string>();
      requests.push(answer);
      return answer.promise;
    },
  });
  const stop = observer.subscribe(() => undefined);
  const close = () => {
    stop();
    queries.clear();
  };
  return { queries, requests, shown: () => observer.getCurrentResult().data, close };
}

test('a first response in flight when something changed is fetched once more', async () => {
  const { queries, requests, shown, close } = page();
  askAgain(queries, () => true);
  askAgain(queries, () => true);
  assert.equal(requests.length, 1, 'the request is in flight');
  requests[0]?.resolve('before the change');
  await until('the second request', () => requests.length === 2);
  requests[1]?.resolve('after the change');
  await until('the new response', () => shown() === 'after the change');
  assert.equal(requests.length, 2, 'both events cause one more request');
  close();
});

test('cached data is refetched, and a response in flight is dropped for a later request', async () => {
  const { queries, requests, shown, close } = page();
  requests[0]?.resolve('first');
  await until('the answer', () => shown() === 'first');
  askAgain(queries, () => true);
  await until('the second request', () => requests.length === 2);
  askAgain(queries, () => true);
  await until('the third request', () => requests.length === 3);
  requests[2]?.resolve('newest');
  requests[1]?.resolve('too old');
  await until('the newest response', () => shown() === 'newest');
  askAgain(queries, ([route]) => route === 'GET /others');
  assert.equal(requests.length, 3, 'what the change does not affect is not refetched');
  close();
});

test('a first response that fails is fetched once more as well', async () => {
  const { queries, requests, shown, close } = page();
  queries.setDefaultOptions({ queries: { retry: false } });
  askAgain(queries, () => true);
  requests[0]?.reject(new Error('The server is unavailable.'));
  await until('the second request', () => requests.length >= 2);
  requests.at(-1)?.resolve('there');
  await until('the answer', () => shown() === 'there');
  close();
});

test('the page is as old as its oldest response, and no older than a day', async () => {
  const { queries, requests, shown, close } = page();
  const openedAtMs = Date.now();
  assert.equal(shownForSeconds(queries, openedAtMs, openedAtMs + 2_500), 3);
  requests[0]?.resolve('first');
  await until('the answer', () => shown() === 'first');
  queries.setQueryData(['GET /members'], 'kept from an earlier screen', { updatedAt: openedAtMs - 20_000 });
  assert.equal(shownForSeconds(queries, openedAtMs, openedAtMs), 20);
  assert.equal(shownForSeconds(queries, openedAtMs, openedAtMs + 10 * 86_400_000), 86_400);
  close();
});
