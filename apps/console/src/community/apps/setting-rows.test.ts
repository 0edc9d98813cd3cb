import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromRows, toRows } from './setting-rows.ts';

test('settings come back as they were, whatever they hold', () => {
  const settings = {
    colour: 'red',
    size: 5,
    isOn: true,
    none: null,
    words: ['a'],
    deep: { x: { y: '1' } },
    number: '5',
  };
  assert.deepEqual(fromRows(toRows(settings)).body, settings);
});

test('settings that cannot be saved say why', () => {
  const row = { key: 1, name: 'size', value: '5', isText: true };
  assert.match(fromRows([{ ...row, name: ' ' }]).problem ?? '', /name/);
  assert.match(fromRows([row, { ...row, key: 2 }]).problem ?? '', /two settings/);
  assert.match(fromRows([{ ...row, value: 'large', isText: false }]).problem ?? '', /size/);
});
