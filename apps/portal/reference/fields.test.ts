import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFields } from './fields.ts';
import type { ApiDocument } from './openapi.ts';

const document = {
  components: {
    schemas: {
      AuthorizationCodeRequest: {
        type: 'object',
        properties: { grant_type: { type: 'string' }, code: { type: 'string' } },
        required: ['grant_type', 'code'],
      },
      PasswordRequest: {
        type: 'object',
        properties: { grant_type: { type: 'string' }, scope: { type: 'string' } },
        required: ['grant_type'],
      },
    },
  },
} as unknown as ApiDocument;

test('fields of a union say which of its forms have them and need them', () => {
  const refs = ['AuthorizationCodeRequest', 'PasswordRequest'].map((name) => ({
    $ref: `#/components/schemas/${name}`,
  }));
  assert.deepEqual(
    listFields(document, { anyOf: refs }).map(({ name, required, forms }) => [name, required, forms]),
    [
      ['grant_type', true, { 'Authorization code': 'required', Password: 'required' }],
      ['code', false, { 'Authorization code': 'required' }],
      ['scope', false, { Password: 'optional' }],
    ],
  );
});

test('an object or nothing is one form', () => {
  const [field] = listFields(document, { anyOf: [{ $ref: '#/components/schemas/PasswordRequest' }, { type: 'null' }] });
  assert.equal(field?.forms, undefined);
});
