import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredCoding, wishFor } from './negotiate.ts';

test('the most specific range of Accept counts, and no header means every type', () => {
  const accept = 'text/html, application/*;q=0.5, application/problem+json;q=0.9, */*;q=0.1';
  assert.equal(wishFor(accept, 'application/problem+json'), 0.9);
  assert.equal(wishFor(accept, 'application/json'), 0.5);
  assert.equal(wishFor(accept, 'image/png'), 0.1);
  assert.equal(wishFor('text/html', 'application/json'), 0);
  assert.equal(wishFor('application/json;q=0', 'application/json'), 0);
  for (const none of [undefined, '']) assert.equal(wishFor(none, 'application/json'), 1);
});

test('a malformed weight is ignored with its range', () => {
  for (const weight of ['7', '-1', 'x', 'NaN']) assert.equal(wishFor(`text/html;q=${weight}`, 'text/html'), 0);
});

test('the preferred coding is chosen, the first offered of equal ones, and none that is refused', () => {
  const offered = ['br', 'gzip'] as const;
  for (const [header, expected] of [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.1, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['deflate', undefined],
  ] as const)
    assert.equal(preferredCoding(header, offered), expected, header);
});
