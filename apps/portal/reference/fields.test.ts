import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFields } from './fields.ts';
import type { ApiDocument } from './openapi.ts';

const document = {
  components: {
    schemas: {
      AuthorizationCodeRequest: {
        type: 'object',
        properties: { grant_type: { type: 'string', enum: ['code'] }, code: { type: 'string' } },
        required: ['grant_type', 'code'],
      },
      PasswordRequest: {
        type: 'object',
        properties: { grant_type: { type: 'string', enum: ['password'] }, scope: { type: 'string' } },
        required: ['grant_type'],
      },
    },
  },
} as unknown as ApiDocument;

test('fields of a union say which of its variants have and require them', () => {
  const refs = ['AuthorizationCodeRequest', 'PasswordRequest'].map((name) => ({
    $ref: `#/components/schemas/${name}`,
  }));
  assert.deepEqual(
    listFields(document, { anyOf: refs }).map(({ name, required, forms }) => [name, required, forms]),
    [
      [
        'grant_type',
        true,
        {
          'Authorization code': { required: true, text: 'One of "code".' },
          Password: { required: true, text: 'One of "password".' },
        },
      ],
      ['code', false, { 'Authorization code': { required: true, text: '' } }],
      ['scope', false, { Password: { required: false, text: '' } }],
    ],
  );
});

test('an object or null is one variant', () => {
  const [field] = listFields(document, { anyOf: [{ $ref: '#/components/schemas/PasswordRequest' }, { type: 'null' }] });
  assert.equal(field?.forms, undefined);
});
