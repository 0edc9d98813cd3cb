import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '@latchkey/kernel';
import { decimalsOf, digitsOf, fieldOf, fieldsOf, listOf, Malformed, textOf } from './read-fields.ts';

test('integers that JSON cannot represent exactly are refused', () => {
  assert.equal(digitsOf(9_007_199_254_740_991, 'it'), '9007199254740991');
  assert.equal(digitsOf('007', 'it'), '7');
  for (const value of [9_007_199_254_740_992, 1.5, -1, '1e5', '', '-1', null])
    assert.throws(() => digitsOf(value, 'it'), Malformed);
});

test('a response with another shape is refused, and the message names the field but not its value', () => {
  const secret = 'key=secret';
  const wrong: [read: (value: unknown, what: string) => unknown, message: string][] = [
    [fieldsOf, 'the part is not an object'],
    [listOf, 'the part is not a list'],
    [digitsOf, 'the part is not an integer'],
  ];
  for (const [read, message] of wrong) assert.throws(() => read(secret, 'the part'), new Malformed(message));
  assert.throws(() => textOf(5, 'the part'), new Malformed('the part is not a string'));
  assert.throws(() => fieldsOf([], 'the part'), new Malformed('the part is not an object'));
});

test('decimals that could exhaust memory are refused', () => {
  assert.equal(decimalsOf('18', 'it'), 18);
  assert.throws(() => decimalsOf('256', 'it'), new Malformed('it is too large'));
});

test('a field of a value without fields is undefined, and a list is not an object', () => {
  assert.equal(fieldOf({ a: 1 }, 'a'), 1);
  for (const value of [undefined, null, 'a', 5]) assert.equal(fieldOf(value, 'a'), undefined);
  assert.deepEqual([{}, [], null, 'x'].map(isObject), [true, false, false, false]);
});
