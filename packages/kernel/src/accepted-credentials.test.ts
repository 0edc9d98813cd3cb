import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedBy, securityOf } from './accepted-credentials.ts';
import { admin, alsoLimited, alsoThePerson, anyone, app, user } from './access.ts';

const people = ['session', 'console-session', 'wallet-signature'];

test('open operations ignore credentials', () => {
  assert.deepEqual(acceptedBy(anyone), []);
  assert.deepEqual(securityOf(anyone)[0], {});
});

test('the kinds follow from roles, scopes and what tokens may do without a scope', () => {
  assert.deepEqual(acceptedBy(user()), [...people, 'operator-key']);
  assert.deepEqual(acceptedBy(user('user:read')), ['access-token', ...people, 'operator-key']);
  assert.deepEqual(acceptedBy(app('token-gating')), [
    'api-key',
    'client-token',
    'access-token',
    ...people,
    'operator-key',
  ]);
  assert.deepEqual(acceptedBy(alsoLimited(user(), { harmless: 'public' })), [
    'access-token',
    ...people,
    'operator-key',
  ]);
  assert.deepEqual(acceptedBy(user('$internal')), ['operator-app', 'operator-key']);
  assert.deepEqual(acceptedBy(alsoThePerson(user('$internal'))), [...people, 'operator-key']);
  assert.deepEqual(acceptedBy(admin()), ['operator-key']);
});

test('the OpenAPI document says which schemes an operation accepts, and which are combined', () => {
  assert.deepEqual(securityOf(user()), [
    { authenticatedEncryption: [] },
    { apiKey: [], authenticatedEncryption: [] },
    { ethereum: [] },
    // Only with a token of one of the operator's applications.
    { collabLandOAuth2: ['$internal'] },
  ]);
  assert.deepEqual(securityOf(app('token-gating')), [
    { apiKey: [] },
    { authenticatedEncryption: [] },
    { ethereum: [] },
    { collabLandOAuth2: ['token-gating'] },
  ]);
  assert.deepEqual(securityOf(alsoLimited(user(), { scopes: ['user:wallet:read'] })).at(-1), {
    collabLandOAuth2: ['user:wallet:read'],
  });
  assert.deepEqual(securityOf(user('$internal')), [
    { apiKey: [], authenticatedEncryption: [] },
    { collabLandOAuth2: ['$internal'] },
  ]);
  assert.deepEqual(securityOf(admin()), [{ apiKey: [] }]);
});

test('an operation with an optional credential may be called without one', () => {
  const access = { roles: ['$anonymous', '$authenticated'] as const, scopes: [] };
  assert.deepEqual(securityOf(access)[0], {});
  assert.ok(acceptedBy(access).includes('api-key'));
});
