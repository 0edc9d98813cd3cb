import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import { splitIntoSections } from './sections.ts';

const all = resources as readonly Resource[];

test('every operation of our own is in one section of its page, and almost none in the last', () => {
  const own = all.find(({ name }) => name === 'latchkey')?.operations ?? [];
  const parts = splitIntoSections(own);
  assert.equal(parts.flatMap(({ operations }) => operations).length, own.length);
  assert.equal(new Set(parts.flatMap(({ operations }) => operations)).size, own.length);
  assert.ok((parts.find(({ title }) => title === 'More')?.operations.length ?? 0) <= 5);
  assert.ok(
    parts.every(({ operations }) => operations.length <= 60),
    parts.map(({ title, operations }) => `${title} ${operations.length}`).join(', '),
  );
  assert.equal(new Set(parts.map(({ anchor }) => anchor)).size, parts.length);
});

test('a short page is one section without a title', () => {
  const operations = [{ path: '/ping' }];
  assert.deepEqual(splitIntoSections(operations), [{ title: '', anchor: '', operations }]);
});
