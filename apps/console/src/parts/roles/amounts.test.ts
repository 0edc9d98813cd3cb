import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadMessages } from '../../messages/index.ts';
import { formatAmount, shareOf } from './amounts.ts';

test('amounts have separators, are never rounded up, and other texts stay unchanged', async () => {
  await loadMessages('en');
  assert.equal(formatAmount('1000000'), '1,000,000');
  assert.equal(formatAmount('1234567.10'), '1,234,567.1');
  assert.equal(formatAmount('0.9999999'), '0.999999');
  assert.match(formatAmount('0.0000001'), /^< 0.000001$/);
  assert.equal(formatAmount('123456789012345678901234567890').replaceAll(/\D/g, ''), '123456789012345678901234567890');
  assert.equal(formatAmount('many'), 'many');
});

test('amounts are written as in the language of the page, in Arabic with Western digits', async (t) => {
  // The files of a process share the language.
  t.after(() => loadMessages('en'));
  await loadMessages('de');
  assert.equal(formatAmount('1234567.5'), '1.234.567,5');
  assert.equal(formatAmount('0.0000001'), '< 0,000001');
  await loadMessages('ar');
  assert.equal(formatAmount('1234567.5'), '1,234,567.5');
});

test('a bar is full only when the condition is met', () => {
  assert.equal(shareOf({ least: '2', have: '1' }, false), 0.5);
  assert.equal(shareOf({ least: '1000000', have: '999999.99' }, false), 0.99);
  assert.equal(shareOf({ least: '2', have: '5' }, false), 0.99, 'more than the most that is allowed');
  assert.equal(shareOf({ least: '2' }, false), 0);
  assert.equal(shareOf({ least: '0', have: '0' }, true), 1);
});
