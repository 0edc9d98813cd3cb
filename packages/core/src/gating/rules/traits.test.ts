import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectProblems } from './problems.ts';
import { evaluate, threadMs } from './queries/evaluate.ts';
import { readTraitFilter } from './read-filter.ts';
import { meetsTraitFilter } from './traits.ts';

const now = new Date('2026-01-15T12:00:00Z');
const token = (id: string, attributes: unknown, amount = '1') => ({ id, amount, metadata: { attributes } });
const king = token('1', [
  { trait_type: 'Hat', value: 'Crown' },
  { trait_type: 'Level', value: 7 },
]);
const jester = token('2', { hat: ' bells ', level: '3' });

function meets(filter: unknown, tokens = [king, jester]): Promise<boolean> {
  const problems = collectProblems();
  const read = readTraitFilter(filter, '', problems);
  problems.throwIfAny();
  const budget = { now, leftMs: 250, computedMs: threadMs };
  return meetsTraitFilter(read, tokens, (query, input) => evaluate(query, input, {}, budget));
}
const has = (trait_type: string, value: unknown) => ({ filters: [{ traits: [{ trait_type, value }] }] });

describe('traits', () => {
  test('names and texts are compared without case and outer spaces', async () => {
    assert.ok(await meets(has(' HAT ', 'crown ')));
    assert.ok(await meets(has('hat', 'BELLS')));
    assert.ok(!(await meets(has('hat', 'crow'))));
    assert.ok(!(await meets(has('shoes', 'crown'))));
  });

  test('a number equals its text', async () => {
    assert.ok(await meets(has('level', '7')));
    assert.ok(await meets(has('level', 3)));
    assert.ok(await meets(has('level', '7.0')));
    assert.ok(!(await meets(has('level', ''))));
  });

  test('a value that starts with $ is a query over the value', async () => {
    assert.ok(await meets(has('level', '$ > 5')));
    assert.ok(!(await meets(has('level', '$number($) > 7'))));
    assert.ok(await meets(has('hat', '$contains($lowercase($), "ell")')));
  });

  test('traits of one filter must be on one token', async () => {
    const both = [
      { trait_type: 'hat', value: 'crown' },
      { trait_type: 'level', value: 3 },
    ];
    assert.ok(!(await meets({ filters: [{ traits: both }] })));
    assert.ok(await meets({ filters: [{ condition: 'or', traits: both, minCount: 2 }] }));
    assert.ok(await meets({ filters: both.map((trait) => ({ traits: [trait] })) }));
  });

  test('all filters are needed, or one of them', async () => {
    const filters = [has('hat', 'crown').filters[0], has('hat', 'helmet').filters[0]];
    assert.ok(!(await meets({ filters })));
    assert.ok(await meets({ condition: 'or', filters }));
  });

  test('counts have a minimum and a maximum', async () => {
    const filter = (minCount: unknown, maxCount?: unknown) => ({
      filters: [{ minCount, maxCount, traits: [{ trait_type: 'hat', value: 'crown' }] }],
    });
    const many = [king, token('3', { hat: 'crown' }, '4')];
    assert.ok(await meets(filter('5'), many));
    assert.ok(!(await meets(filter(6), many)));
    assert.ok(!(await meets(filter(1, 4), many)));
  });

  test('no filters admit every holder, and a filter without traits admits none', async () => {
    assert.ok(await meets({}, []));
    assert.ok(await meets({ filters: [] }, []));
    assert.ok(!(await meets({ filters: [{ traits: [] }] })));
    assert.ok(!(await meets({ filters: [{ condition: 'or', traits: [] }] })));
  });

  test('only the named tokens count', async () => {
    assert.ok(await meets({ tokenId: '1', ...has('hat', 'crown') }));
    assert.ok(!(await meets({ tokenId: '2-', ...has('hat', 'crown') })));
  });
});
