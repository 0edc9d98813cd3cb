import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAmount, shareOf } from './amounts.ts';

test('amounts have separators, are never rounded up, and other texts stay unchanged', () => {
  assert.equal(formatAmount('1000000'), (1_000_000).toLocaleString());
  assert.equal(formatAmount('1234567.10'), (1_234_567.1).toLocaleString());
  assert.equal(formatAmount('0.9999999'), (0.999999).toLocaleString(undefined, { maximumFractionDigits: 6 }));
  assert.match(formatAmount('0.0000001'), /^< 0.000001$/);
  assert.equal(formatAmount('123456789012345678901234567890').replaceAll(/\D/g, ''), '123456789012345678901234567890');
  assert.equal(formatAmount('many'), 'many');
});

test('a bar is full only when the condition is met', () => {
  assert.equal(shareOf({ least: '2', have: '1' }, false), 0.5);
  assert.equal(shareOf({ least: '1000000', have: '999999.99' }, false), 0.99);
  assert.equal(shareOf({ least: '2', have: '5' }, false), 0.99, 'more than the most that is allowed');
  assert.equal(shareOf({ least: '2' }, false), 0);
  assert.equal(shareOf({ least: '0', have: '0' }, true), 1);
});
