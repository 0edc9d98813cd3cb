import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraitFilter, writeTraitFilter } from './trait-filter.ts';

test('a filter is read as rows and written as it was', () => {
  const filter = {
    condition: 'or',
    filters: [
      { minCount: '2', condition: 'and', traits: [{ trait_type: 'Eyes', value: 'Laser' }] },
      {
        maxCount: '5',
        condition: 'or',
        traits: [
          { trait_type: 'Hat', value: '$ != "Crown"' },
          { trait_type: 'Level', value: '$ >= 5' },
          { trait_type: 'Odd', value: '$ in ["a", "b"]' },
        ],
      },
    ],
  };
  const read = readTraitFilter(filter);
  assert.ok(read);
  assert.deepEqual(
    read.groups.flatMap(({ rows }) => rows.map(({ test: how, value }) => [how, value])),
    [
      ['is', 'Laser'],
      ['not', 'Crown'],
      ['atLeast', '5'],
      ['query', '$ in ["a", "b"]'],
    ],
  );
  assert.deepEqual(writeTraitFilter(read), filter);
});

test('a value with quotes cannot leave its place in the query', () => {
  const row = { type: 'Hat', test: 'not', value: '" or true or "' } as const;
  const group = { count: '', most: '', needsAll: true, rows: [row] };
  const written = JSON.stringify(writeTraitFilter({ needsAll: false, groups: [group] }));
  assert.ok(written.includes(JSON.stringify(`$ != ${JSON.stringify(row.value)}`)), written);
});

test('a filter that holds something else is not read as rows', () => {
  for (const filter of [
    { filters: [{ traits: [{ trait_type: 'A', value: { deep: 1 } }] }] },
    { filters: [{ traits: 'none' }] },
    { filters: {} },
    { tokenId: '1', filters: [] },
    'text',
  ])
    assert.equal(readTraitFilter(filter), undefined, JSON.stringify(filter));
  assert.deepEqual(readTraitFilter(undefined), { needsAll: false, groups: [] });
  assert.equal(writeTraitFilter({ needsAll: true, groups: [] }), undefined);
});
