import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectFacts } from './collect.ts';

test('every column of every table has a name, which screen readers announce with each cell', async () => {
  const unnamed = Object.entries(await collectFacts()).filter(
    ([, fact]) => typeof fact !== 'string' && 'columns' in fact && fact.columns.some((column) => column.trim() === ''),
  );
  assert.deepEqual(
    unnamed.map(([name]) => name),
    [],
  );
});
