import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { type DescribedApi, readOperations } from './read-operations.ts';

test('every operation of the API can be found, each at its own address', () => {
  const description = JSON.stringify(describeApi(resources, { serverUrl: 'http://127.0.0.1:3000' }));
  const api = JSON.parse(description) as DescribedApi;
  const described = Object.values(api.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
  const operations = readOperations(api).filter(({ call }) => call !== undefined);
  assert.equal(operations.length, described);
  assert.equal(new Set(operations.map(({ path }) => path)).size, described);
  const check = operations.find(({ call }) => call === 'POST /access-control/check-roles');
  assert.equal(check?.path, '/apis/access-control/checkRoles');
  assert.deepEqual(check?.crumbs, ['API reference', 'Role checks']);
  for (const field of ['callbackUrl', 'minToken', 'roleId'])
    assert.ok(check?.fields?.includes(field), `${field}: ${check?.fields}`);
  assert.ok(operations.every(({ title, language, tag }) => title !== '' && language === 'en' && tag === 'default'));
});

test('the page of a resource is found once, under the name the reference gives it', () => {
  const operation = {
    operationId: 'getMe',
    summary: 'Read `me`',
    tags: ['AccountController'],
    'x-resource': 'account',
  };
  const found = readOperations({
    info: { description: 'All of [it](/x).' },
    paths: { '/me': { get: operation } },
    tags: [{ name: 'AccountController', description: 'You.' }],
  });
  assert.deepEqual(
    found.map(({ path }) => path),
    ['/apis/', '/apis/account', '/apis/account/getMe'],
  );
  assert.equal(found[0]?.sections[0]?.text, 'All of it.');
  assert.equal(found[1]?.title, 'The signed-in user');
});

test('events of webhooks are found at their anchors, on one page', () => {
  const events = [
    { type: 'role.granted', meaning: 'A role was given.' },
    { type: 'role.revoked', meaning: 'A role was taken.' },
  ];
  const [, page] = readOperations({ info: {}, paths: {} }, events);
  assert.equal(page?.path, '/apis/webhooks');
  assert.deepEqual(
    page?.sections.slice(1).map(({ heading, anchor }) => [heading, anchor]),
    [
      ['role.granted', 'event/role.granted'],
      ['role.revoked', 'event/role.revoked'],
    ],
  );
});
