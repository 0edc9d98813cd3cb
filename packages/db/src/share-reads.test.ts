import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { shareReads } from './share-reads.ts';

/** A table whose reads end when the test lets them. */
function slowTable(rows: Record<string, string>) {
  const reads: { keys: readonly string[]; end(): void; fail(error: Error): void }[] = [];
  const read = (keys: readonly string[]) => {
    // Like a statement, it sees the rows at its start.
    const seen = new Map(Object.entries(rows).filter(([key]) => keys.includes(key)));
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
    reads.push({ keys, end: () => resolve(seen), fail: reject });
    return promise;
  };
  return { rows, reads, read };
}

/** Lets requested reads start. */
const aMoment = () => new Promise((resolve) => setImmediate(resolve));

test('concurrent lookups, or lookups while one is in flight, share one statement, and each gets its own result', async () => {
  const table = slowTable({ a: '1', b: '2' });
  const find = shareReads(table.read);
  const first = [find('a'), find('b')];
  await aMoment();
  const others = [find('b'), find('b'), find('a'), find('c')];
  assert.deepEqual(table.reads[0]?.keys, ['a', 'b']);
  assert.equal(table.reads.length, 1);
  table.reads[0]?.end();
  assert.deepEqual(await Promise.all(first), ['1', '2']);
  await aMoment();
  assert.deepEqual(table.reads[1]?.keys, ['b', 'a', 'c']);
  table.reads[1]?.end();
  assert.deepEqual(await Promise.all(others), ['2', '2', '1', undefined]);
  assert.equal(table.reads.length, 2);
});

test('a lookup after a change is never answered by a read that started before it', async () => {
  const table = slowTable({ key: 'works' });
  const find = shareReads(table.read);
  const before = find('key');
  await aMoment();
  delete table.rows.key;
  const after = find('key');
  table.reads[0]?.end();
  assert.equal(await before, 'works');
  await aMoment();
  table.reads[1]?.end();
  assert.equal(await after, undefined);
});

test('a failed read fails its own callers, and no later ones', async () => {
  const table = slowTable({ a: '1' });
  const find = shareReads(table.read);
  const failed = assert.rejects(find('a'), /gone/);
  await aMoment();
  const later = find('a');
  table.reads[0]?.fail(new Error('gone'));
  await failed;
  await aMoment();
  table.reads[1]?.end();
  assert.equal(await later, '1');
});

test('a hanging read does not delay later callers', async () => {
  const table = slowTable({ a: '1' });
  const find = shareReads(table.read);
  const hanging = find('a');
  await aMoment();
  const late = find('a');
  await until('another read has begun', () => table.reads.length === 2);
  table.reads[1]?.end();
  assert.equal(await late, '1');
  const later = find('a');
  await aMoment();
  table.reads[2]?.end();
  assert.equal(await later, '1');
  table.reads[0]?.end();
  assert.equal(await hanging, '1');
  assert.equal(table.reads.length, 3);
});
