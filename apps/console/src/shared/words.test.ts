import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUnits, toUnits } from './words.ts';

test('typed amounts become the smallest units, to the last digit', () => {
  assert.equal(toUnits('1.5', 18), '1500000000000000000');
  assert.equal(toUnits(' 0.000000000000000001 ', 18), '1');
  assert.equal(toUnits('123456789012345678901234567890', 0), '123456789012345678901234567890');
});

test('text that is not an amount is refused', () => {
  for (const typed of ['', '.', '1.', '.5', '1,5', '-1', '0', '0.0', '1e3', '0x1', '1.23', 'NaN', '1 000'])
    assert.equal(toUnits(typed, 1), undefined, typed);
});

test('the smallest units are shown in full, and come back as they were', () => {
  assert.equal(formatUnits('1', 18), '0.000000000000000001');
  assert.equal(formatUnits('0', 18), '0');
  assert.equal(formatUnits('7', 0), '7');
  assert.equal(formatUnits('seven', 18), 'seven');
  for (const units of ['1', '999', '1000', '123456789'])
    assert.equal(toUnits(formatUnits(units, 6).replaceAll(',', ''), 6), units);
});
