import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import type { ClientApplication } from './client-app.ts';
import { create } from './create.ts';
import { createDevelopmentApp, findClientByApiKey } from './index.ts';
import { findOwn, getById, listOfOrganization } from './reads.ts';
import { fails, newApp, newOrganization, newPerson } from './testing.ts';

describe('client apps: create', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('client-apps/create');
  });
  after(() => t.close());

  test('a new application is pending, has no scope and shows its secrets once', async () => {
    const person = newPerson();
    const app = await newApp(t, person, {
      webhookUrl: 'https://app.example/hook',
      subscribeEvents: ['client-app.deleted'],
    });
    assert.equal(app.status, 'PENDING');
    assert.deepEqual(app.allowedScopes, []);
    assert.equal(app.pk, person.userId);
    assert.equal(app.sk, `CLIENT_APP#${app.id}`);
    assert.equal(app.createdTime, '2026-01-15T12:00:00.000Z');
    assert.match(app.apiKey, new RegExp(`^${app.id}\\.[0-9A-Za-z]{43}$`));
    assert.match(app.clientSecret ?? '', /^lk_cs_[0-9A-Za-z]{43}$/);
    assert.equal(Buffer.from((app.secret ?? '').replace(/^whsec_/, ''), 'base64').length, 32);
    assert.deepEqual(app.actions, [{ action: 'create', actionBy: person.userId, timestamp: app.createdTime }]);

    const again = await getById(t.as(person), { id: app.id });
    const { apiKey, clientSecret, secret, ...shown } = app;
    assert.ok(apiKey && clientSecret && secret);
    assert.deepEqual(again, shown);
  });

  test('server-set fields are ignored when a client sends them', async () => {
    const person = newPerson();
    const app = await newApp(t, person, {
      status: 'APPROVED',
      allowedScopes: ['$all'],
      disallowedScopes: ['$all'],
      createdById: 'DIS#USER#666',
      createdByName: 'alice',
      tenant: 'mine',
      actions: [],
      id: 'chosen',
      sk: 'CLIENT_APP#chosen',
      apiKey: 'chosen',
      apiKeyHash: 'a'.repeat(64),
      clientSecret: 'chosen',
      clientSecretHash: 'a'.repeat(64),
      classifierGroup: 'ADMIN',
    });
    assert.deepEqual(
      [app.status, app.allowedScopes, app.disallowedScopes, app.tenant, app.actions?.length, app.classifierGroup],
      ['PENDING', [], [], undefined, 1, 'CLIENT_APP'],
    );
    assert.deepEqual([app.createdById, app.createdByName], [person.userId, person.name]);
    assert.match(app.id, /^[0-9A-Za-z]{21}$/);
    assert.match(app.clientSecret ?? '', /^lk_cs_/);
  });

  test('a public client and an API-key client get no client secret, but a secret for signed callbacks', async () => {
    for (const clientType of ['public', 'apiKey']) {
      const app = await newApp(t, newPerson(), { clientType });
      assert.equal(app.clientSecret, undefined);
      assert.match(app.secret ?? '', /^whsec_/);
      assert.notEqual(app.apiKey, '');
    }
  });

  test('redirect URIs without grant types imply the usual ones', async () => {
    const redirectUris = ['https://app.example/cb'];
    const grantsOf = async (fields: Record<string, unknown>) =>
      (await newApp(t, newPerson(), fields)).allowedGrantTypes;
    assert.deepEqual(await grantsOf({ redirectUris }), ['authorization_code', 'refresh_token']);
    for (const fields of [{}, { redirectUris, allowedGrantTypes: [] }, { redirectUris, clientType: 'apiKey' }])
      assert.deepEqual(await grantsOf(fields), []);
  });

  const unfit: [field: string, values: unknown[]][] = [
    ['name', ['', '   ', 'x'.repeat(201), 'a\u0000b', 'a\nb']],
    ['email', ['nobody', 'a b@c.example']],
    ['feedback', ['a\u0000b']],
    ['url', ['/home', 'javascript:alert(1)', 'https://user@app.example']],
    ['icon', ['data:image/png;base64,AAAA']],
    ['clientType', ['secret']],
    [
      'webhookUrl',
      ['http://app.example/hook', 'ftp://app.example', '/hook', 'https://a:b@app.example', 'https://a.example/#x'],
    ],
    ['redirectUris', [['http://app.example/cb'], ['https://app.example/cb#part'], ['https://*.app.example/cb']]],
    [
      'redirectUris',
      [['https:\\\\app.example'], ['https://app.example\\@evil.example'], ['https://user@app.example/cb']],
    ],
    [
      'redirectUris',
      [['https:app.example'], [' https://app.example/cb'], ['https://app.example/\tcb'], ['app:/cb'], ['']],
    ],
    [
      'redirectUris',
      [['http://localhost.evil.example/cb'], ['http://127.0.0.1@evil.example/cb'], ['http://127.0.0.2/cb']],
    ],
    ['allowedOrigins', [['https://app.example/'], ['https://app.example/path'], ['app.example'], ['*'], ['null']]],
    [
      'allowedOrigins',
      [['https://*.app.example'], ['https://APP.example'], ['https://app.example:443'], ['ws://app.example']],
    ],
    ['allowedReferrers', [['app.example'], ['https://app.example/*']]],
    ['allowedIpAddresses', [['300.1.1.1'], ['192.0.2.0/33'], ['2001:db8::/129'], ['fe80::1%eth0'], ['192.0.2.1/']]],
    ['allowedIpAddresses', [['192.0.2.1/8/8'], ['app.example'], ['192.0.2.1/1e1']]],
    ['subscribeEvents', [['client-app.exploded'], ['__proto__']]],
    ['allowedGrantTypes', [['password'], ['implicit'], ['urn:other']]],
  ];

  test('invalid fields are refused, and named', async () => {
    const ctx = t.as(newPerson());
    for (const [field, values] of unfit) {
      for (const value of values) {
        const body = { name: 'An app', webhookUrl: 'https://app.example', [field]: value };
        await assert.rejects(create(ctx, { body }), (error: unknown) => {
          assert.ok(
            error instanceof AppError && error.code === 'VALIDATION_FAILED',
            `${field} ${JSON.stringify(value)}`,
          );
          const places = Array.isArray(error.details) ? error.details.map(({ path }) => String(path)) : [];
          return places.length === 1 && places[0]?.startsWith(`/${field}`) === true;
        });
      }
    }
    await assert.rejects(create(ctx, { body: {} }), fails('VALIDATION_FAILED'));
    // Subscribed, but without a webhook address.
    await assert.rejects(
      create(ctx, { body: { name: 'x', subscribeEvents: ['client-app.deleted'] } }),
      fails('VALIDATION_FAILED'),
    );
    assert.deepEqual((await findOwn(ctx, {})).items, []);
  });

  test('valid fields are stored unchanged, without duplicates', async () => {
    const fields = {
      redirectUris: [
        'https://app.example/cb?x=1',
        'http://localhost:3000/cb',
        'http://127.0.0.1/cb',
        'http://[::1]:9/cb',
      ],
      allowedOrigins: ['https://app.example', 'http://localhost:3000'],
      allowedReferrers: ['https://app.example/embed'],
      allowedIpAddresses: ['192.0.2.7', '192.0.2.0/24', '2001:db8::/32', '::1'],
      allowedGrantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      webhookUrl: 'http://localhost:4000/hook',
      subscribeEvents: ['client-app.status-changed'],
    };
    const repeated = [...fields.redirectUris, ...fields.redirectUris];
    const app = await newApp(t, newPerson(), { ...fields, redirectUris: repeated });
    for (const [field, value] of Object.entries(fields)) assert.deepEqual(app[field as keyof ClientApplication], value);
  });

  test('an application of an organization needs the caller’s own, verified one', async () => {
    const person = newPerson();
    const verified = await newOrganization(t, person, { verified: true });
    const app = await newApp(t, person, { pk: verified });
    assert.equal(app.pk, verified);
    const listed = await listOfOrganization(t.as(person), { organizationId: verified });
    assert.deepEqual(
      listed.map(({ id, apiKey }) => [id, apiKey]),
      [[app.id, undefined]],
    );

    const unverified = await newOrganization(t, person, { verified: false });
    await assert.rejects(newApp(t, person, { pk: unverified }), fails('ORGANIZATION_NOT_VERIFIED'));
  });

  test('a stranger’s organization and a missing one give the same error', async () => {
    const organizationId = await newOrganization(t, newPerson(), { verified: true });
    const missing = t.services.random.id();
    const isMissing = { code: 'ENTITY_NOT_FOUND', message: 'Organization not found.' };
    const stranger = newPerson();
    for (const pk of [organizationId, missing]) {
      await assert.rejects(newApp(t, stranger, { pk }), isMissing);
      await assert.rejects(listOfOrganization(t.as(stranger), { organizationId: pk }), isMissing);
    }
    await assert.rejects(newApp(t, operator, { pk: organizationId }), isMissing);
  });

  test('twenty concurrent requests create no more applications than the plan allows', async () => {
    const person = newPerson();
    const organizationId = await newOrganization(t, person, { verified: true });
    // Applications of an organization and those of none are counted separately.
    for (const fields of [{}, { pk: organizationId }]) {
      const tries = await Promise.allSettled(Array.from({ length: 20 }, () => newApp(t, person, fields)));
      assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 5);
      for (const result of tries)
        assert.ok(result.status === 'fulfilled' || fails('PLAN_LIMIT_REACHED')(result.reason));
    }
  });

  test('a development application works at once and belongs to the user it was made for', async () => {
    const person = newPerson();
    const wanted = { userId: person.userId, name: 'Dev', scopes: ['community:read'] };
    await assert.rejects(createDevelopmentApp(t.as(person), wanted), fails('ROLE_NOT_ALLOWED'));
    const app = await createDevelopmentApp(t.as(operator), wanted);
    const found = await findClientByApiKey(t.services, app.apiKey ?? '');
    assert.deepEqual(found?.client.allowedScopes, ['community:read']);
    assert.equal((await findOwn(t.as(person), {})).items[0]?.id, app.id);
  });
});
