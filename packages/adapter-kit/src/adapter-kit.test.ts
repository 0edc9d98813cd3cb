import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseOf, writeQuery } from './address.ts';
import { readBytes, readJson } from './read-body.ts';
import { within } from './within.ts';

test('a base address has no slash at its end', () => {
  assert.equal(baseOf('https://node.test//'), 'https://node.test');
  assert.equal(baseOf('https://node.test/a'), 'https://node.test/a');
});

test('a query omits missing values, repeats lists and escapes values', () => {
  assert.equal(writeQuery(), '');
  assert.equal(writeQuery({ cursor: undefined }), '');
  assert.equal(writeQuery({ a: '1&b', owner: ['x', 'y'], cursor: undefined }), '?a=1%26b&owner=x&owner=y');
});

test('a body over the limit is dropped before its end, whatever its declared length', async () => {
  assert.equal((await readBytes(new Response('four'), 4))?.toString('utf8'), 'four');
  assert.equal((await readBytes(new Response(null), 4))?.length, 0);
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(1_000));
    },
  });
  assert.equal(await readBytes(new Response(endless, { headers: { 'content-length': '4' } }), 10_000), undefined);
  assert.ok(pulled < 20, String(pulled));
});

test('a body that is not JSON, is truncated or is too long yields no result', async () => {
  assert.deepEqual(await readJson(new Response('{"a":1}')), { a: 1 });
  assert.equal(await readJson(new Response('<html>')), undefined);
  assert.equal(await readJson(new Response('"four"'), 5), undefined);
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error('https://x/?key=secret')) });
  assert.equal(await readJson(new Response(broken)), undefined);
});

test('waiting ends when the caller aborts or the timeout passes', async () => {
  const leaving = new AbortController();
  const signal = within(600_000, leaving.signal);
  assert.equal(signal.aborted, false);
  leaving.abort();
  assert.equal(signal.aborted, true);
  const late = within(1);
  await new Promise((resolve) => late.addEventListener('abort', resolve));
  assert.equal(late.aborted, true);
});
