import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Access, admin, alsoLimited, anyone, app, isLimited, owns, refuse, user } from './access.ts';
import type { Actor, ClientRef } from './actor.ts';

const client = (allowed: string[] | null, disallowed: string[] = []): ClientRef => ({
  id: 'c',
  name: 'c',
  allowedScopes: allowed,
  disallowedScopes: disallowed,
});
const nobody: Actor = { kind: 'anonymous' };
const person = (scopes: string[], through?: ClientRef): Actor => ({
  kind: 'user',
  userId: 'u',
  platform: 'discord',
  scopes,
  credential: 'wallet-session',
  ...(through && { client: through }),
});
/** A user through a token that was issued to an application. */
const delegated = (scopes: string[], to: ClientRef): Actor =>
  ({ ...person(scopes, to), credential: 'access-token' }) as Actor;
const program = (allowed: string[] | null, disallowed: string[] = []): Actor => ({
  kind: 'client',
  client: client(allowed, disallowed),
  credential: 'api-key',
});
const operator: Actor = { kind: 'admin', name: 'operator' };

const codeOf = (access: Access, actor: Actor) => refuse(access, actor)?.code;

test('an open operation lets everyone in', () => {
  for (const actor of [nobody, person([]), program([]), operator]) assert.equal(codeOf(anyone, actor), undefined);
});

test('without a credential the error asks for one, not for a scope', () => {
  for (const access of [user(), app('token-gating'), admin()])
    assert.equal(codeOf(access, nobody), 'AUTHENTICATION_REQUIRED');
});

test('a user needs one of the scopes, and $all is every scope', () => {
  const access = app('community:read', 'community:write');
  assert.equal(codeOf(access, person(['community:write'])), undefined);
  assert.equal(codeOf(access, person(['$all'])), undefined);
  assert.equal(codeOf(access, person(['user:read'])), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(access, person([])), 'SCOPE_NOT_ALLOWED');
});

test('a user through an application needs the scope on both', () => {
  const access = app('user:read');
  assert.equal(codeOf(access, person(['user:read'], client(['user:read']))), undefined);
  assert.equal(codeOf(access, person(['user:read'], client(['community:read']))), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(access, person(['community:read'], client(['user:read']))), 'SCOPE_NOT_ALLOWED');
});

test('an operator’s application acts for users whatever scopes their token has', () => {
  assert.equal(codeOf(app('user:read', '$internal'), person([], client(['$internal']))), undefined);
});

test('an application with no list of scopes is unrestricted, one with an empty list has none', () => {
  const access = app('token-gating');
  assert.equal(codeOf(access, program(null)), undefined);
  assert.equal(codeOf(access, program([])), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(access, program(['$all'])), undefined);
});

test('a removed scope stays removed, even from $all', () => {
  const access = app('token-gating');
  assert.equal(codeOf(access, program(['$all'], ['token-gating'])), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(access, program(['token-gating'], ['$all'])), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(app('token-gating', 'user:read'), program(['$all'], ['token-gating'])), undefined);
});

test('an $internal operation is allowed only for the operator’s applications', () => {
  assert.equal(codeOf(app('$internal'), program(['$all'])), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(app('$internal'), program(null)), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(app('$internal'), person(['$all'])), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(app('$internal'), program(['$internal'])), undefined);
});

test('where $internal is one of several scopes, another of them is enough', () => {
  assert.equal(codeOf(app('role-manager', '$internal'), program(['role-manager'])), undefined);
  assert.equal(codeOf(app('role-manager', '$internal'), program(['user:read'])), 'SCOPE_NOT_ALLOWED');
});

test('an API key alone is not a person', () => {
  assert.equal(codeOf(user(), program(['$all'])), 'ROLE_NOT_ALLOWED');
});

test('the operator passes every check, and no one else does', () => {
  assert.equal(codeOf(admin(), operator), undefined);
  assert.equal(codeOf(admin(), person(['$all'])), 'ROLE_NOT_ALLOWED');
  assert.equal(codeOf(admin('log-settings'), program(['log-settings'])), undefined);
});

test('a missing object has no owner, not even the operator', () => {
  assert.equal(owns(operator, undefined), false);
  assert.equal(owns(operator, 'u'), true);
  assert.equal(owns(person([]), 'u'), true);
  assert.equal(owns(person([]), 'v'), false);
  assert.equal(owns(program(null), 'c'), false);
});

test('a single-purpose credential allows only the operations that name it', () => {
  const decider: Actor = {
    kind: 'user',
    userId: 'u',
    platform: 'p',
    scopes: [],
    credential: 'wallet-session',
    purpose: 'consent:1',
  };
  assert.equal(codeOf({ ...user(), purpose: 'consent' }, decider), undefined);
  assert.equal(codeOf({ ...user(), purpose: 'cons' }, decider), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(user(), decider), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(user('user:read'), { ...decider, scopes: ['$all'] }), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf({ ...user(), purpose: 'consent' }, person(['$all'])), undefined);
  assert.equal(codeOf({ ...user(), purpose: 'consent' }, person([])), 'SCOPE_NOT_ALLOWED');
});

test('where no scope is required, only a full user session, the user’s own key and the operator are allowed', () => {
  for (const access of [user(), app()]) {
    for (const limited of [
      person([]),
      person(['user:read', 'user:wallet:write']),
      delegated(['$all'], client(['$all'])),
      delegated(['openid'], client([])),
    ])
      assert.equal(codeOf(access, limited), 'SCOPE_NOT_ALLOWED');
    assert.equal(codeOf(access, person(['$all'])), undefined);
    assert.equal(codeOf(access, operator), undefined);
    assert.equal(codeOf(access, person(['$all'], client([]))), undefined);
    assert.equal(codeOf(access, delegated([], client(['$internal']))), undefined);
  }
  assert.equal(codeOf(app(), program([])), undefined);
  assert.equal(codeOf(app(), { ...program(['user:read']), credential: 'client-token' } as Actor), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(app(), { ...program(['$all']), credential: 'client-token' } as Actor), undefined);
});

test('a limited token is allowed with its named scope, or where the data is public', () => {
  const byScope = alsoLimited(user(), { scopes: ['user:wallet:read'] });
  assert.equal(codeOf(byScope, person(['user:wallet:read'])), undefined);
  assert.equal(codeOf(byScope, delegated(['user:wallet:read'], client(['user:wallet:read']))), undefined);
  assert.equal(codeOf(byScope, delegated(['user:wallet:read'], client([]))), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(byScope, person(['user:read'])), 'SCOPE_NOT_ALLOWED');
  assert.equal(codeOf(alsoLimited(app(), { harmless: 'It is public.' }), delegated([], client([]))), undefined);
});

test('a token is limited if it belongs to an application or lacks a scope', () => {
  assert.equal(isLimited(person(['$all'])), false);
  assert.equal(isLimited(delegated(['$all'], client(['$all']))), true);
  assert.equal(isLimited(person(['$all'], client([]))), false);
  assert.equal(isLimited(person(['user:read'])), true);
  assert.equal(isLimited(program([])), false);
  assert.equal(isLimited(operator), false);
});
