import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countInside, isFolded, parentsOf, pathsOf } from './fold.ts';

const fields = [
  { name: 'account', depth: 0 },
  { name: 'rules', depth: 0 },
  { name: 'type', depth: 1 },
  { name: 'variables', depth: 1 },
  { name: 'min', depth: 2 },
  { name: 'async', depth: 0 },
];

test('fields are named by their path, and know how many are below them', () => {
  assert.deepEqual(pathsOf(fields), [
    'account',
    'rules',
    'rules.type',
    'rules.variables',
    'rules.variables.min',
    'async',
  ]);
  assert.deepEqual(countInside(fields), [0, 2, 0, 1, 0, 0]);
});

test('a field is seen when everything above it is unfolded', () => {
  assert.equal(isFolded('rules', new Set()), false);
  assert.equal(isFolded('rules.type', new Set()), true);
  assert.equal(isFolded('rules.variables.min', new Set(['rules'])), true);
  assert.equal(isFolded('rules.variables.min', new Set(parentsOf('rules.variables.min'))), false);
});
