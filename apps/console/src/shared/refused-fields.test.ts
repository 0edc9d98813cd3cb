import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@latchkey/client';
import { AppError, T, type TSchema } from '@latchkey/kernel';
import { validatorOf } from '@latchkey/kernel/validate';
import { loadMessages } from '../messages/index.ts';
import { describeError } from '../say-error.ts';
import { describeRefusedField, describeRefusedFields, refusedFieldsOf } from './refused-fields.ts';

await loadMessages('en');

function refusal(message: string, details: unknown): ApiError {
  return new ApiError(422, { code: 'VALIDATION_FAILED', message, details }, null);
}

/** What people read when the API refuses `body` by its schema. */
function readBy(schema: TSchema, body: unknown): string[] {
  try {
    validatorOf(schema, { what: 'The body', unknownFields: 'refuse' })(body);
  } catch (error) {
    if (error instanceof AppError)
      return refusedFieldsOf(refusal(error.message, error.details)).map(describeRefusedField);
    throw error;
  }
  return [];
}

test('what a schema refuses is named by its label and says what to enter', () => {
  const body = T.Object({
    name: T.String({ minLength: 1, maxLength: 5 }),
    webhookUrl: T.Optional(T.String({ pattern: '^https:' })),
    redirectUris: T.Optional(T.Array(T.String({ maxLength: 8 }), { maxItems: 2 })),
    quietHours: T.Optional(T.Integer({ minimum: 1, maximum: 12 })),
  });
  assert.deepEqual(readBy(body, { name: 'gold' }), []);
  assert.deepEqual(readBy(body, {}), ['Name: Fill this in.']);
  assert.deepEqual(readBy(body, { name: '' }), ['Name: Fill this in.']);
  assert.deepEqual(readBy(body, { name: 'golden' }), ['Name: Use at most 5 characters.']);
  assert.deepEqual(readBy(body, { name: 'a', webhookUrl: 'x' }), ['Webhook URL: This is not in the expected form.']);
  assert.deepEqual(readBy(body, { name: 'a', redirectUris: ['short', 'far too long'] }), [
    'Redirect URIs: Use at most 8 characters.',
  ]);
  assert.deepEqual(readBy(body, { name: 'a', redirectUris: ['a', 'b', 'c'] }), [
    'Redirect URIs: This is not in the expected form.',
  ]);
  assert.deepEqual(readBy(body, { name: 'a', quietHours: 13 }), ['Quiet hours: Use 12 or less.']);
  assert.deepEqual(readBy(body, { name: 'a', quietHours: 'late' }), ['Quiet hours: This is not in the expected form.']);
});

test('what a rule lacks is named by the field of its card, wherever the rule is in the request', () => {
  const read = (path: string, code: string, message: string) =>
    refusedFieldsOf(refusal(message, [{ path, code, message }])).map(describeRefusedField);
  const noContract = 'There is no contract at 0xaa on Base. Check the address and the chain.';
  for (const path of ['/contractAddress', '/rule/contractAddress', '/rule/or/1/contractAddress'])
    assert.deepEqual(read(path, 'no-contract', noContract), [noContract]);
  assert.deepEqual(read('/variables', 'no-reader', noContract), [noContract]);
  assert.deepEqual(read('/contractAddress', 'required', 'rules of type ERC20 need a contractAddress.'), [
    'Contract address: Fill this in.',
  ]);
  assert.deepEqual(read('/tokenId', 'range', 'a token id must be less than 2^256.'), [
    'Which tokens count: A token id must be less than 2^256.',
  ]);
  assert.deepEqual(read('/roleSet', 'rule', 'must contain at least one role'), [
    'Role set: It must contain at least one role.',
  ]);
});

test('no sentence names a place in a request, also where the server sends nothing else', () => {
  const said = (message: string) => describeError(refusal(message, undefined));
  assert.equal(said('The body at /contractAddress cannot be used. Check the address.'), 'Check the address.');
  assert.equal(said('The rule at /or/0/tokenId cannot be used: it is too long.'), 'It is too long.');
  assert.equal(said('The body at /accountId must be an account.'), 'The account id must be an account.');
  assert.equal(said('The name is taken.'), 'The name is taken.');
  const details = [{ path: '/botToken', code: 'moderator', message: 'must belong to a moderator' }];
  assert.deepEqual(describeRefusedFields(refusal('The token must belong to a moderator.', details)), []);
  assert.deepEqual(describeRefusedFields(refusal('The body at /botToken must belong to a moderator.', details)), [
    'Bot token: It must belong to a moderator.',
  ]);
  assert.deepEqual(refusedFieldsOf(new Error('The body at /name')), []);
  assert.deepEqual(refusedFieldsOf(new ApiError(409, { code: 'STATE_CONFLICT', details: [{ path: '/a' }] }, null)), []);
});
