import assert from 'node:assert/strict';
import { test } from 'node:test';
import { T } from '@latchkey/kernel';
import { describeUnknownField, findUnknownFields, unknownFieldsError } from './unknown-fields.ts';

const Space = T.Object({
  space: T.String(),
  channels: T.Optional(T.Array(T.String())),
  filter: T.Optional(
    T.Union([T.Object({ minimum: T.Number() }), T.Object({ traits: T.Array(T.Object({ name: T.String() })) })]),
  ),
});

const describe = (sent: unknown, kept: unknown) => findUnknownFields(sent, kept, Space).map(describeUnknownField);

test('a field that the schema does not name is found, with the name that was probably meant', () => {
  assert.deepEqual(describe({ space: 'a', channelId: '1' }, { space: 'a' }), [
    'Unknown field "channelId". Did you mean "channels"?',
  ]);
  assert.deepEqual(describe({ space: 'a', color: 'red' }, { space: 'a' }), ['Unknown field "color".']);
});

test('a name that the body already has is not suggested', () => {
  assert.deepEqual(describe({ space: 'a', spaces: 'b' }, { space: 'a' }), ['Unknown field "spaces".']);
});

test('fields are found in objects, lists and alternatives, with their place', () => {
  const sent = { space: 'a', filter: { traits: [{ name: 'hat', nane: 'x' }] } };
  const kept = { space: 'a', filter: { traits: [{ name: 'hat' }] } };
  assert.deepEqual(findUnknownFields(sent, kept, Space), [
    { path: '/filter/traits/0/nane', name: 'nane', suggestion: undefined },
  ]);
  const misspelled = { space: 'a', filter: { traits: [{ nane: 'hat' }] } };
  assert.deepEqual(describe(misspelled, { space: 'a', filter: { traits: [{}] } }), [
    'Unknown field "nane" at /filter/traits/0. Did you mean "name"?',
  ]);
});

test('a body with thousands of unknown fields lists the first 20, and a very long name is cut', () => {
  const sent = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${'x'.repeat(5000)}${index}`, 1]));
  const found = findUnknownFields(sent, {}, Space);
  assert.equal(found.length, 20);
  const { message, code, status } = unknownFieldsError(found);
  assert.deepEqual([code, status], ['VALIDATION_FAILED', 422]);
  assert.ok(message.length < 400, `${message.length} characters`);
});

test('fields that a standard lets browsers add are ignored silently', () => {
  const Passkey = T.Object({ id: T.String(), response: T.Object({ signature: T.String() }, { 'x-extensible': true }) });
  const sent = { id: 'a', response: { signature: 'b', publicKey: 'c' } };
  assert.deepEqual(findUnknownFields(sent, { id: 'a', response: { signature: 'b' } }, Passkey), []);
  assert.equal(
    findUnknownFields({ ...sent, response: {}, publicKey: 'c' }, { id: 'a', response: {} }, Passkey).length,
    1,
  );
});
