import assert from 'node:assert/strict';
import { test } from 'node:test';
import { T, text } from './schema.ts';
import { validatorOf } from './validate.ts';

const Sample = T.Object({
  name: text('A name.', { maxLength: 3, pattern: '^[a-z]+$' }),
  list: T.Optional(T.Array(T.Integer(), { maxItems: 2 })),
  inner: T.Optional(T.Object({ deep: T.Optional(T.Boolean()) })),
  open: T.Optional(T.Object({}, { additionalProperties: true, 'x-maxBytes': 20 })),
});
const refusing = validatorOf(Sample, { what: 'The sample', unknownFields: 'refuse' });
const ignoring = validatorOf(Sample, { what: 'The sample', unknownFields: 'ignore' });

test('a valid value is returned unchanged', () => {
  const value = { name: 'abc', list: [1, 2], inner: { deep: true }, open: { any: 'thing' } };
  assert.deepEqual(refusing(structuredClone(value)), value);
  assert.deepEqual(ignoring(structuredClone(value)), value);
});

test('invalid lengths, patterns, types, sizes and missing fields are refused with their location', () => {
  const wrong: [value: unknown, path: string, code: string][] = [
    [{ name: 'abcd' }, '/name', 'maxLength'],
    [{ name: 'a1' }, '/name', 'pattern'],
    [{ name: 1 }, '/name', 'type'],
    [{}, '', 'required'],
    [{ name: 'a', list: [1, 2, 3] }, '/list', 'maxItems'],
    [{ name: 'a', open: { any: 'thing that is long' } }, '/open', 'x-maxBytes'],
    [null, '', 'type'],
  ];
  for (const [value, path, code] of wrong)
    for (const validate of [refusing, ignoring])
      assert.throws(
        () => validate(value),
        ({ code: name, status, message, details }) => {
          assert.deepEqual([name, status], ['VALIDATION_FAILED', 422]);
          assert.match(message, /^The sample .*\.$/);
          assert.deepEqual([details[0].path, details[0].code], [path, code]);
          return true;
        },
      );
});

test('unknown fields are refused where the schema is ours, at every depth, and kept where a platform may add them', () => {
  for (const value of [
    { name: 'a', more: 1 },
    { name: 'a', inner: { more: 1 } },
  ]) {
    assert.throws(() => refusing(value), { code: 'VALIDATION_FAILED' });
    assert.deepEqual(ignoring(structuredClone(value)), value);
  }
});

test('the size of an open object counts bytes, not characters', () => {
  const fits = { name: 'a', open: { a: 'x'.repeat(12) } };
  assert.equal(JSON.stringify(fits.open).length, 20);
  assert.doesNotThrow(() => refusing(fits));
  assert.throws(() => refusing({ name: 'a', open: { a: 'é'.repeat(12) } }), { code: 'VALIDATION_FAILED' });
});
