import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { volume } from '@latchkey/test-kit';
import { sampleIndex } from '../docs-search/sample-index.ts';
import { createSearchThread } from './search-thread.ts';

const file = JSON.stringify(sampleIndex);
const unavailable = (message: RegExp) => (error: unknown) =>
  error instanceof AppError && error.code === 'UNAVAILABLE' && message.test(error.message);

describe('the search thread', () => {
  const thread = createSearchThread();
  after(() => thread.close());

  test('finds pages of the current version, and nothing of the reference', async () => {
    const index = await thread.open('docs', file);
    const [best] = await index.search('verify your wallet', 5);
    assert.equal(best?.path, '/help-docs/verify');
    assert.deepEqual(
      index.pages.filter(({ path }) => path.startsWith('/apis/') || path.includes('0.64')),
      [],
    );
    assert.equal((await index.search('wallet', 2)).length, 2);
  });

  test('an index replaces the one with the same name, and no other', async () => {
    const [page] = sampleIndex.pages;
    assert.ok(page);
    const renamed = JSON.stringify({ pages: [{ ...page, path: '/new', title: 'Lanterns' }] });
    const other = await thread.open('other', file);
    await thread.open('docs', file);
    const index = await thread.open('docs', renamed);
    assert.equal((await index.search('lanterns', 5))[0]?.path, '/new');
    assert.equal((await other.search('verify your wallet', 5))[0]?.path, '/help-docs/verify');
  });

  test('a file that is not an index is refused, and the next one is read', async () => {
    await assert.rejects(thread.open('docs', 'not JSON'), unavailable(/unavailable/));
    assert.ok((await thread.open('docs', file)).pages.length > 0);
  });

  test('a word of 90 KB or 900 KB is as cheap as another', async () => {
    const index = await thread.open('docs', file);
    for (const size of [90_000, 900_000]) assert.deepEqual(await index.search('w'.repeat(size), 5), []);
    assert.equal((await index.search('verify your wallet', 5))[0]?.path, '/help-docs/verify');
  });
});

/** Searches for `endless`, `hoard` and `crash` never respond; all others find one page, once the index is loaded. */
const misbehaving = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    let version;
    const kept = [];
    parentPort.on('message', (request) => {
      if (request.kind === 'load') version = request.version;
      if (request.query === 'endless') for (;;);
      if (request.query === 'hoard') for (;;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
      if (request.query === 'crash') throw new Error('crash');
      if (request.kind === 'load') parentPort.postMessage({ kind: 'loaded', pages: [] });
      else if (request.version !== version) parentPort.postMessage({ kind: 'missing' });
      else parentPort.postMessage({ kind: 'found', hits: [{ path: '/found', title: '', section: { text: '' } }] });
    });
  `)}`,
);

describe('a misbehaving search', () => {
  const thread = createSearchThread({ file: misbehaving, budgetMs: () => 200 });
  after(() => thread.close());

  for (const { query, message } of [
    { query: 'endless', message: /took too long/ },
    { query: 'hoard', message: /took too (much memory|long)/ },
    { query: 'crash', message: /unavailable/ },
  ])
    test(`${query}: fails alone, and the following ones are answered by a new thread`, async () => {
      const index = await thread.open('docs', '');
      const [failed, ...others] = await Promise.allSettled([
        index.search(query, 5),
        ...Array.from({ length: volume(5, 50) }, () => index.search('wallet', 5)),
      ]);
      assert.ok(failed.status === 'rejected' && unavailable(message)(failed.reason), String(Object(failed).reason));
      for (const other of others) assert.ok(other.status === 'fulfilled' && other.value[0]?.path === '/found');
    });

  test('searches beyond the queue limit are refused at once, and the others answered', async () => {
    const index = await thread.open('docs', '');
    const outcomes = await Promise.allSettled(Array.from({ length: 150 }, () => index.search('wallet', 5)));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 49);
    for (const { reason } of refused as PromiseRejectedResult[])
      assert.ok(unavailable(/Too many searches/)(reason), String(reason));
  });

  test('nothing is searched after closing', async () => {
    const closing = createSearchThread({ file: misbehaving });
    const index = await closing.open('docs', '');
    await closing.close();
    await assert.rejects(index.search('wallet', 5), unavailable(/unavailable/));
  });
});
