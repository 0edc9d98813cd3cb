import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import { areaOf } from './areas.ts';

const all = resources as readonly Resource[];

test('every operation of our own is in one area, and almost none in the last', () => {
  const own = all.find(({ name }) => name === 'latchkey')?.operations ?? [];
  const byArea = Map.groupBy(own, ({ path }) => areaOf('latchkey', path));
  assert.ok((byArea.get('latchkey-more')?.length ?? 0) <= 5);
  assert.ok(
    [...byArea.values()].every((operations) => operations.length <= 60),
    [...byArea].map(([name, { length }]) => `${name} ${length}`).join(', '),
  );
});

test('operations of other resources stay together', () => {
  assert.equal(areaOf('ping', '/ping'), 'ping');
});
