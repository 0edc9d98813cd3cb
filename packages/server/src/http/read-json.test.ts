import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '@latchkey/kernel';
import fc from 'fast-check';
import { maxDepth, maxKeys, readJson } from './read-json.ts';

const refused = (text: string, pattern: RegExp) =>
  assert.throws(
    () => readJson(text),
    (error) => error instanceof AppError && error.code === 'INVALID_BODY' && pattern.test(error.message),
  );

test('input is parsed like JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      if (text.includes('__proto__') || text.includes('\\u0000') || /\\ud[89a-f]/i.test(text)) return;
      assert.deepEqual(readJson(text), JSON.parse(text));
    }),
    { seed: 7, numRuns: 2_000 },
  );
});

test('random text never raises anything but INVALID_BODY', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0019 etrulfansdDE+-.') }), (text) => {
      try {
        readJson(text);
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === 'INVALID_BODY');
      }
    }),
    { seed: 11, numRuns: 5_000 },
  );
});

test('a duplicate key is refused, even when one is escaped', () => {
  refused('{"a":1,"a":2}', /"a" twice/);
  refused('{"a":1,"\\u0061":2}', /twice/);
  refused('{"x":{"b":[],"b":[]}}', /twice/);
  assert.deepEqual(readJson('{"a":{"a":1},"b":[{"a":1},{"a":2}]}'), { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] });
});

test('a value that looks like a duplicate key is not a key', () => {
  assert.deepEqual(readJson('{"a":"b","b":["a","a"]}'), { a: 'b', b: ['a', 'a'] });
});

test('__proto__ is refused in any notation', () => {
  refused('{"__proto__":{"x":1}}', /__proto__/);
  refused('{"a":{"\\u005f_proto__":1}}', /__proto__/);
});

test('nesting is limited', () => {
  assert.doesNotThrow(() => readJson('['.repeat(maxDepth) + ']'.repeat(maxDepth)));
  refused('['.repeat(maxDepth + 1) + ']'.repeat(maxDepth + 1), /deeper/);
  refused('['.repeat(500_000), /deeper/);
});

test('NUL and unpaired surrogates are refused in keys and values', () => {
  refused('{"a":"\\u0000"}', /NUL/);
  refused('{"\\u0000":1}', /NUL/);
  refused('["\\ud800"]', /unpaired surrogate/);
  assert.deepEqual(readJson('["\\ud83d\\ude00"]'), ['😀']);
});

test('an unrepresentable number is refused instead of becoming null', () => {
  refused('{"a":1e400}', /too large/);
  refused('[[-1e400]]', /too large/);
  for (const text of ['1e400', ' 1e400', '[0,1E400]', '[0,\n-1.5e400]', '{"a":\t10.25e+399}', '{"0x1e":1e400}'])
    refused(text, /too large/);
  assert.deepEqual(readJson('{"0x1e":"1e400"}'), { '0x1e': '1e400' });
  refused(`[${'9'.repeat(400)}]`, /too large/);
  refused(`[${'9'.repeat(250)}e99]`, /too large/);
  assert.deepEqual(readJson('[1e308, 1E2, 1e-400]'), [1e308, 100, 0]);
});

test('a flood of keys is refused', () => {
  const withKeys = (count: number) => `{${Array.from({ length: count }, (_item, n) => `"${n}":0`).join()}}`;
  assert.doesNotThrow(() => readJson(withKeys(maxKeys)));
  refused(withKeys(maxKeys + 1), /keys/);
});

test('broken JSON is refused', () => {
  for (const text of ['', '{', '{"a"', '"', '{"a":1}x', 'nul']) refused(text, /not valid JSON/);
});
