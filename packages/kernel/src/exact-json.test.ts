import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson, parseForEcho } from './exact-json.ts';

const around = (bound: bigint) => [-2n, -1n, 0n, 1n, 2n].flatMap((step) => [bound + step, -(bound + step)]);
const bounds = [0n, 10n ** 15n, 10n ** 16n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 10n ** 24n, 2n ** 127n, 2n ** 128n];

test('whole numbers of any size survive, as numbers where a double is exact and as their digits where it is not', () => {
  for (const value of bounds.flatMap(around)) {
    const read = parseExactJson(`{"a":[${value}]}`);
    const isSafe = value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
    assert.deepEqual(read, { a: [isSafe ? Number(value) : String(value)] });
    assert.equal(JSON.stringify(parseForEcho(`{"a":[${value}]}`)), `{"a":[${value}]}`);
  }
});

test('larger exponents keep their written form, and all else matches JSON.parse', () => {
  assert.deepEqual(parseExactJson('[1e24,1E400,1e3,12345678901234567]'), ['1e24', '1E400', 1000, '12345678901234567']);
  const text = '{"a":"12345678901234567890","b":[0.1234567890123456789,true,null,{}],"c":"1e99"}';
  assert.deepEqual(parseExactJson(text), JSON.parse(text));
  for (const broken of ['', '{', '12345678901234567890x', '[1e24'])
    assert.throws(() => parseExactJson(broken), SyntaxError);
});
