import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  anyone,
  app,
  NoContent,
  op,
  type Resource,
  resource,
  scopeAliases,
  scopes as scopeList,
  user,
} from '@latchkey/kernel';
import { getScope, getScopes, getScopesFromIds } from './scope.ts';

const nothing = () => undefined;
const words = { summary: 'A', description: 'A.', returns: NoContent } as const;

const messages = resource('messages', 'Messages.', [
  op(
    'GET /messages/{id}',
    { ...words, id: 'getMessage', sdk: 'MessageController.get', access: app('discord:message', 'discord:guild') },
    nothing,
  ),
  op(
    'POST /messages',
    { ...words, id: 'sendMessage', sdk: 'MessageController.send', access: app('discord:message') },
    nothing,
  ),
]);
const others = resource('others', 'Others.', [
  op('GET /others', { ...words, id: 'listOthers', sdk: 'OtherController.list', access: anyone }, nothing),
  op('GET /others/mine', { ...words, id: 'listMine', sdk: 'OtherController.mine', access: user() }, nothing),
  op(
    'DELETE /others',
    { ...words, id: 'clearOthers', sdk: 'OtherController.clear', access: app('$internal') },
    nothing,
  ),
]);
// A list of resources loses the context types of their verbs, as it does in the server.
const ctx = { resources: [messages, others] as unknown as readonly Resource[] };

const getEndpoint = {
  controller: 'MessageController',
  method: 'get',
  verb: 'get',
  path: '/messages/{id}',
  tags: ['MessageController', 'messages'],
};
const sendEndpoint = { ...getEndpoint, method: 'send', verb: 'post', path: '/messages' };

const idsOf = (group: { scopes?: { id: string }[] } | undefined) => group?.scopes?.map(({ id }) => id);
const pathsOf = (of: { endpoints?: { path?: string }[] } | undefined) => of?.endpoints?.map(({ path }) => path);

test('every scope of the closed list is in exactly one group, with its own description', () => {
  const groups = getScopes(ctx);
  const listed = groups.flatMap(({ group, scopes = [] }) => scopes.map((scope) => ({ ...scope, in: group })));
  assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set(Object.keys(scopeList)));
  assert.equal(listed.length, Object.keys(scopeList).length);
  assert.equal(new Set(groups.map(({ group }) => group)).size, groups.length);
  for (const scope of listed) {
    const expected = scopeList[scope.id as keyof typeof scopeList];
    assert.deepEqual(
      [scope.group, scope.in, scope.description],
      [expected.group, expected.group, expected.description],
    );
  }
});

test('a scope lists the served operations it allows, and its group lists each of them once', () => {
  const discord = getScopes(ctx).find(({ group }) => group === 'discord');
  const byId = new Map(discord?.scopes?.map(({ id, endpoints }) => [id, endpoints]));
  assert.deepEqual(byId.get('discord:message'), [getEndpoint, sendEndpoint]);
  assert.deepEqual(byId.get('discord:guild'), [getEndpoint]);
  assert.deepEqual(byId.get('discord:user'), []);
  assert.deepEqual(discord?.endpoints, [getEndpoint, sendEndpoint]);
});

test('$all allows what any scope allows, but not public, scopeless or internal operations', () => {
  assert.deepEqual(pathsOf(getScope(ctx, { id: '$all' })), ['/messages/{id}', '/messages']);
  assert.deepEqual(pathsOf(getScope(ctx, { id: '$public' })), ['/others']);
  assert.deepEqual(pathsOf(getScope(ctx, { id: '$internal' })), ['/others']);
});

test('one scope is returned in its group, alone', () => {
  const group = getScope(ctx, { id: 'discord:guild' });
  assert.deepEqual([group.group, idsOf(group), group.endpoints], ['discord', ['discord:guild'], [getEndpoint]]);
});

test('legacy names map to their scopes', () => {
  for (const [alias, scope] of Object.entries(scopeAliases)) {
    assert.deepEqual(getScope(ctx, { id: alias }), getScope(ctx, { id: scope }));
  }
});

test('several scopes are returned grouped, each once, separated by commas or spaces', () => {
  const groups = getScopesFromIds(ctx, {
    ids: ' user:read,discord:user  discord-integration:read-guild-member-info, discord:guild,user:read',
  });
  assert.deepEqual(
    groups.map((group) => [group.group, idsOf(group)]),
    [
      ['user', ['user:read']],
      ['discord', ['discord:guild', 'discord:user']],
    ],
  );
});

test('an unknown scope is not found and is named, even among known ones', () => {
  const missing = { code: 'ENTITY_NOT_FOUND', message: 'Scope not found: no:such.' };
  assert.throws(() => getScope(ctx, { id: 'no:such' }), missing);
  assert.throws(() => getScopesFromIds(ctx, { ids: 'user:read,no:such' }), missing);
  for (const id of ['toString', '__proto__', 'constructor'])
    assert.throws(() => getScope(ctx, { id }), { code: 'ENTITY_NOT_FOUND' });
});

test('no ids and more than fifty ids are refused, fifty are not', () => {
  const refused = { code: 'INVALID_PARAMETER_VALUE', message: 'List 1 to 50 scopes, separated by commas or spaces.' };
  assert.throws(() => getScopesFromIds(ctx, { ids: ' , ' }), refused);
  assert.throws(() => getScopesFromIds(ctx, { ids: Array(51).fill('user:read').join() }), refused);
  assert.deepEqual(getScopesFromIds(ctx, { ids: Array(50).fill('user:read').join() }).map(idsOf), [['user:read']]);
});
