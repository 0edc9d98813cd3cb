import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observed } from '@latchkey/kernel';
import { parseEntries, parseEntry } from './parse-entries.ts';
import { digitsOf, fieldsOf, Malformed, textOf } from './read-fields.ts';

const about = { source: 'test', kind: 'coin' };
const parse = (value: unknown) => {
  const { id, amount } = fieldsOf(value, 'a coin');
  return { id: textOf(id, 'the id'), amount: digitsOf(amount, 'the amount') };
};

function counted<Result>(work: () => Result): { result: Result; seen: string[] } {
  const seen: string[] = [];
  const end = observed.malformedEntry.listen(({ source, kind }) => void seen.push(`${source} ${kind}`));
  try {
    return { result: work(), seen };
  } finally {
    end();
  }
}

test('a malformed entry is dropped and counted', () => {
  const list = [{ id: 'a', amount: '1' }, null, { id: 'b' }, { id: 'c', amount: 3 }, 'd'];
  const { result, seen } = counted(() => parseEntries(list, about, parse));
  assert.deepEqual(result, {
    entries: [
      { id: 'a', amount: '1' },
      { id: 'c', amount: '3' },
    ],
    malformed: 3,
  });
  assert.deepEqual(seen, ['test coin', 'test coin', 'test coin']);
});

test('a duplicate entry counts once, and two that contradict each other count as malformed', () => {
  const a = { id: 'a', amount: '1' };
  const list = [a, { ...a }, { id: 'b', amount: '2' }, { id: 'b', amount: '3' }, { id: 'b', amount: '2' }];
  const { result, seen } = counted(() => parseEntries(list, { ...about, idOf: ({ id }) => id }, parse));
  assert.deepEqual(result, { entries: [a], malformed: 2 });
  assert.equal(seen.length, 2);
});

test('anything but a list is malformed as a whole', () => {
  assert.throws(() => parseEntries({ 0: 'a' }, about, parse), Malformed);
});

test('an error that says nothing about the entry is not hidden', () => {
  const broken = () => {
    throw new Error('out of order');
  };
  assert.throws(() => parseEntry({}, about, broken), /out of order/);
  assert.equal(
    parseEntry({}, about, () => BigInt('x')),
    undefined,
  );
});
