import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { findWebhookSecrets } from '../../services/webhooks/index.ts';
import { contextFor } from '../../shared/context.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { create } from './create.ts';
import { findOauthClient } from './find-oauth-client.ts';
import { decideClientApp, findClientByApiKey, ownerOfClientApp } from './index.ts';
import { openTrial } from './jobs.ts';
import { endOldApiKey, getClientAppOverview, requestScopes, rollApiKey, setRedirectUris } from './key-operations.ts';
import { getOauthSettings, setOauthSettings } from './oauth-settings.ts';
import { remove, rename, resetApiKey, rotateWebhookSecret } from './operations.ts';
import { findOwn, getById } from './reads.ts';
import { fails, newApp, newPerson } from './testing.ts';

describe('client apps', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('client-apps');
  });
  after(() => t.close());

  const find = (key: string) => findClientByApiKey(t.services, key);

  test('a user’s own applications are listed newest first, page by page, and no one else’s', async () => {
    const person = newPerson();
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.push((await newApp(t, person)).id);
      // Two of them have the same creation time, so that the order must not depend on time alone.
      if (index !== 2) t.advanceSeconds(1);
    }
    const seen: string[] = [];
    let paginationToken: string | undefined;
    do {
      const page = await findOwn(t.as(person), { limit: 2, paginationToken });
      assert.ok(page.items.every(({ apiKey, clientSecret, secret }) => [apiKey, clientSecret, secret].join('') === ''));
      seen.push(...page.items.map(({ id }) => id ?? ''));
      paginationToken = page.paginationToken;
    } while (paginationToken !== undefined);
    assert.deepEqual([...seen].sort(), [...made].sort());
    assert.deepEqual([seen[0], seen[4]], [made[4], made[0]]);
    assert.deepEqual((await findOwn(t.as(newPerson()), {})).items, []);
  });

  test('a stranger’s application and a missing one give the same error, for every verb', async () => {
    const app = await newApp(t, newPerson());
    const stranger = t.as(newPerson());
    const verbs: [name: string, call: (id: string) => Promise<unknown>][] = [
      ['get', (id) => getById(stranger, { id })],
      ['rename', (id) => rename(stranger, { id, body: { name: 'Mine' } })],
      ['remove', (id) => remove(stranger, { id })],
      ['reset', (id) => resetApiKey(stranger, { clientAppId: id })],
      ['roll', (id) => rollApiKey(stranger, { id, body: { oldKeyEndsInSeconds: 60 } })],
      ['end the old key', (id) => endOldApiKey(stranger, { id })],
      ['redirect', (id) => setRedirectUris(stranger, { id, body: { redirectUris: [] } })],
      ['read OAuth settings', (id) => getOauthSettings(stranger, { id })],
      ['set OAuth settings', (id) => setOauthSettings(stranger, { id, body: {} })],
      ['ask for scopes', (id) => requestScopes(stranger, { id, body: { scopes: [] } })],
      ['overview', (id) => getClientAppOverview(stranger, { id })],
    ];
    const isMissing = { code: 'ENTITY_NOT_FOUND', message: 'Client application not found.' };
    for (const [name, call] of verbs) {
      await assert.rejects(call(app.id), isMissing, name);
      await assert.rejects(call(t.services.random.id()), isMissing, name);
    }
    const { apiKey, clientSecret, secret, ...shown } = app;
    assert.deepEqual(await getById(t.as(operator), { id: app.id }), shown);
    assert.equal(await ownerOfClientApp(stranger, app.id), app.createdById);
    assert.equal(await ownerOfClientApp(stranger, 'missing'), undefined);
  });

  test('a rename changes the name alone', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    await decideClientApp(t.as(operator), { id, decision: 'approve', scopes: ['community:read'] });
    const renamed = await rename(t.as(person), { id, body: { name: ' Another name ' } });
    assert.deepEqual(
      [renamed.name, renamed.status, renamed.allowedScopes, renamed.apiKey],
      ['Another name', 'APPROVED', ['community:read'], undefined],
    );
    await assert.rejects(rename(t.as(person), { id, body: { name: ' ' } }), fails('VALIDATION_FAILED'));
  });

  test('an owner cannot displace a decision from the audit trail', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    for (let index = 0; index < 120; index += 1) await rename(t.as(person), { id, body: { name: `Name ${index}` } });
    const trail = (await getById(t.as(person), { id })).actions ?? [];
    assert.deepEqual(
      trail.slice(0, 3).map(({ action }) => action),
      ['create', 'approve', 'rename'],
    );
    assert.equal(trail.length, 102);
  });

  test('a new key works at once and the old one no longer does', async () => {
    const person = newPerson();
    const { id, apiKey } = await newApp(t, person);
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    const reset = await resetApiKey(t.as(person), { clientAppId: id });
    assert.deepEqual([reset.clientSecret, reset.secret, reset.status], [undefined, undefined, 'APPROVED']);
    assert.equal(await find(apiKey), undefined);
    assert.equal((await find(reset.apiKey ?? ''))?.client.id, id);
    assert.equal((await getById(t.as(person), { id })).apiKey, undefined);
    await decideClientApp(t.as(operator), { id, decision: 'revoke' });
    await assert.rejects(resetApiKey(t.as(person), { clientAppId: id }), fails('STATE_CONFLICT'));
  });

  test('the key of a deleted application stops working at once, and its slot in the plan is free again', async () => {
    const person = newPerson();
    const apps = await Promise.all(Array.from({ length: 5 }, () => newApp(t, person)));
    const [first] = apps;
    assert.ok(first);
    await decideClientApp(t.as(operator), { id: first.id, decision: 'approve' });
    assert.ok(await find(first.apiKey));
    await remove(t.as(person), { id: first.id });
    assert.equal(await find(first.apiKey), undefined);
    await assert.rejects(getById(t.as(person), { id: first.id }), fails('ENTITY_NOT_FOUND'));
    await assert.rejects(remove(t.as(person), { id: first.id }), fails('ENTITY_NOT_FOUND'));
    await newApp(t, person);
  });

  test('a transaction that is rolled back leaves everything as it was', async () => {
    const person = newPerson();
    const { id, apiKey } = await newApp(t, person, { webhookUrl: 'https://app.example/hook' });
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    const snapshot = async () => {
      const { system } = t.services.db;
      const tables = ['client_apps', 'webhook_endpoints', 'events', 'jobs'] as const;
      return JSON.stringify(await Promise.all(tables.map((table) => system.selectFrom(table).selectAll().execute())));
    };
    const before = await snapshot();
    const halfWay = new Error('half-way');
    const attempt = t.as(person).tx(async (tx) => {
      const joined = contextFor(t.services, person, tx);
      await create(joined, { body: { name: 'Never' } });
      await resetApiKey(joined, { clientAppId: id });
      await remove(joined, { id });
      throw halfWay;
    });
    await assert.rejects(attempt, halfWay);
    assert.equal(await snapshot(), before);
    assert.equal((await find(apiKey))?.client.id, id);
  });

  test('no secret is in a table or in the log', async () => {
    const person = newPerson();
    const subscribeEvents = ['client-app.api-key-reset', 'client-app.deleted'];
    const app = await newApp(t, person, { webhookUrl: 'https://app.example/hook', subscribeEvents });
    const reset = await resetApiKey(t.as(person), { clientAppId: app.id });
    const secrets = [app.apiKey, app.clientSecret, app.secret, reset.apiKey].map((secret) => secret ?? '');
    const tables = ['client_apps', 'webhook_endpoints', 'events', 'webhook_deliveries', 'jobs'] as const;
    const { system } = t.services.db;
    const rows = await Promise.all(tables.map((table) => system.selectFrom(table).selectAll().execute()));
    const everything = JSON.stringify(rows) + t.log.lines.join();
    assert.ok(everything.includes(app.id));
    // The random part must not be there on its own either.
    for (const part of secrets.flatMap((secret) => [secret, secret.split(/[._]/).at(-1) ?? ''])) {
      assert.ok(part.length > 40);
      assert.ok(!everything.includes(part));
    }
  });

  test('a rolled key works next to the new one until the time its owner chose, and not a second longer', async () => {
    const person = newPerson();
    const { id, apiKey: first } = await newApp(t, person);
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    const { apiKey: second = '' } = await rollApiKey(t.as(person), { id, body: { oldKeyEndsInSeconds: 3600 } });
    const states = async () => [await find(first), await find(second)].map((found) => found?.isOldKey);
    assert.deepEqual(await states(), [true, false]);
    const { oldKeyEndsAt, keyCreatedAt } = await getClientAppOverview(t.as(person), { id });
    const now = t.services.clock().getTime();
    assert.deepEqual(
      [oldKeyEndsAt, keyCreatedAt],
      [new Date(now + 3600_000), new Date(now)].map((at) => at.toISOString()),
    );
    t.advanceSeconds(3599);
    assert.deepEqual(await states(), [true, false]);
    t.advanceSeconds(1);
    assert.deepEqual(await states(), [undefined, false]);
    assert.equal((await getClientAppOverview(t.as(person), { id })).oldKeyEndsAt, undefined);
  });

  test('a key is not rolled twice in one overlap; without an overlap, or on request, the old one ends at once', async () => {
    const person = newPerson();
    const { id, apiKey: first } = await newApp(t, person);
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    const roll = (seconds: number) => rollApiKey(t.as(person), { id, body: { oldKeyEndsInSeconds: seconds } });
    const { apiKey: second = '' } = await roll(60);
    await assert.rejects(roll(60), fails('STATE_CONFLICT'));
    assert.ok((await find(first)) && (await find(second)), 'a refused roll changes nothing');
    await endOldApiKey(t.as(person), { id });
    assert.deepEqual([await find(first), (await find(second))?.isOldKey], [undefined, false]);
    const { apiKey: third = '' } = await roll(60);
    const { apiKey: fourth = '' } = await roll(0);
    assert.deepEqual(await Promise.all([second, third].map(find)), [undefined, undefined]);
    assert.equal((await find(fourth))?.client.id, id);
    const { apiKey: fifth = '' } = await roll(60);
    await resetApiKey(t.as(person), { clientAppId: id });
    assert.deepEqual(await Promise.all([fourth, fifth].map(find)), [undefined, undefined]);
    await decideClientApp(t.as(operator), { id, decision: 'revoke' });
    await assert.rejects(roll(0), fails('STATE_CONFLICT'));
  });

  test('a replaced webhook secret signs next to the new one until it expires', async () => {
    const person = newPerson();
    const { id, secret: first } = await newApp(t, person);
    const rotate = async (seconds: number) =>
      (await rotateWebhookSecret(t.as(person), { id, body: { oldSecretEndsInSeconds: seconds } })).secret;
    const second = await rotate(60);
    assert.deepEqual(await findWebhookSecrets(t.services, id), [second, first]);
    await assert.rejects(rotate(60), fails('STATE_CONFLICT'));
    t.advanceSeconds(60);
    assert.deepEqual(await findWebhookSecrets(t.services, id), [second]);
    const third = await rotate(60);
    const fourth = await rotate(0);
    assert.deepEqual(await findWebhookSecrets(t.services, id), [fourth]);
    assert.notEqual(third, fourth);
  });

  test('its owner sets the redirect URIs, and an application without logins refuses them', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    const redirectUris = ['https://app.example/return', 'http://localhost:3000/return'];
    const set = await setRedirectUris(t.as(person), { id, body: { redirectUris: [...redirectUris, ...redirectUris] } });
    assert.deepEqual(
      [set.redirectUris, set.allowedGrantTypes],
      [redirectUris, ['authorization_code', 'refresh_token']],
    );
    assert.equal(set.actions?.at(-1)?.notes, redirectUris.join(' '));
    for (const uri of ['http://app.example/', 'https://app.example/#part', 'https://*.app.example/', 'app://return'])
      await assert.rejects(
        setRedirectUris(t.as(person), { id, body: { redirectUris: [uri] } }),
        fails('VALIDATION_FAILED'),
        uri,
      );
    const { id: keyOnly } = await newApp(t, person, { clientType: 'apiKey' });
    await assert.rejects(
      setRedirectUris(t.as(person), { id: keyOnly, body: { redirectUris } }),
      fails('STATE_CONFLICT'),
    );
  });

  test('its owner sets how users sign in and out, all at once, and addresses must be safe', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    assert.deepEqual(await getOauthSettings(t.as(person), { id }), {});
    const settings = {
      id_token_signed_response_alg: 'RS256',
      post_logout_redirect_uris: ['https://app.example/bye'],
      backchannel_logout_uri: 'http://localhost:3000/logout',
    } as const;
    const body = { ...settings, post_logout_redirect_uris: [...settings.post_logout_redirect_uris] };
    assert.deepEqual(await setOauthSettings(t.as(person), { id, body }), settings);
    assert.equal((await findOauthClient(t.services, id))?.settings, undefined, 'not before it is approved');
    assert.deepEqual(await getOauthSettings(t.as(person), { id }), settings);
    for (const wrong of [
      { post_logout_redirect_uris: ['https://*.app.example/'] },
      { backchannel_logout_uri: 'http://app.example/logout' },
      { frontchannel_logout_uri: 'javascript:alert(1)' },
    ])
      await assert.rejects(setOauthSettings(t.as(person), { id, body: wrong }), fails('VALIDATION_FAILED'));
    assert.deepEqual(await setOauthSettings(t.as(person), { id, body: {} }), {});
    assert.equal((await getById(t.as(person), { id })).actions?.at(-1)?.notes, 'defaults');
  });

  test('scopes are requested by the owner and granted by the operator alone', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    const body = { scopes: ['user:read', 'token-gating', 'user:read'], reason: 'To check holders.' };
    const request = await requestScopes(t.as(person), { id, body });
    assert.deepEqual([request.requestedScopes, request.allowedScopes], [['user:read', 'token-gating'], []]);
    assert.equal(request.actions?.at(-1)?.notes, 'user:read token-gating: To check holders.');
    for (const scopes of [['no:scope'], ['$all'], ['$internal']])
      await assert.rejects(requestScopes(t.as(person), { id, body: { scopes } }), fails('VALIDATION_FAILED'));
    await decideClientApp(t.as(operator), { id, decision: 'approve', scopes: ['user:read'] });
    await assert.rejects(
      decideClientApp(t.as(operator), { id, decision: 'approve', scopes: ['user:read'] }),
      fails('STATE_CONFLICT'),
    );
    // Scopes that were requested later can still be granted.
    const more = await decideClientApp(t.as(operator), {
      id,
      decision: 'approve',
      scopes: ['user:read', 'token-gating'],
    });
    assert.deepEqual(more.allowedScopes, ['user:read', 'token-gating']);
    const { scopes } = await getClientAppOverview(t.as(person), { id });
    const stateOf = (name: string) => scopes.find(({ scope }) => scope === name);
    assert.deepEqual(
      ['user:read', 'community:read'].map((name) => [stateOf(name)?.isRequested, stateOf(name)?.state]),
      [
        [true, 'granted'],
        [false, 'none'],
      ],
    );
    assert.equal(stateOf('$all'), undefined);
  });

  test('where the operator opened scopes to all applications, a new one gets exactly these without waiting', async () => {
    const system: Actor = { kind: 'system', job: 'test' };
    const run = (id: string) =>
      openTrial.run(t.as(system), { id }, { id: '1', attempt: 1, signal: AbortSignal.any([]) });
    const { id } = await newApp(t, newPerson());
    await run(id);
    assert.equal(
      (await getById(t.as(operator), { id })).status,
      'PENDING',
      'nothing is opened unless the operator allows it',
    );
    t.services.settings.trialScopes = ['user:read'];
    try {
      const person = newPerson();
      const trial = await newApp(t, person, { requestedScopes: ['$all'] });
      assert.equal(trial.status, 'PENDING');
      await run(trial.id);
      const { status, allowedScopes } = await getById(t.as(person), { id: trial.id });
      assert.deepEqual([status, allowedScopes], ['APPROVED', ['user:read']]);
      await decideClientApp(t.as(operator), { id: trial.id, decision: 'revoke' });
      await run(trial.id);
      assert.equal((await getById(t.as(person), { id: trial.id })).status, 'REVOKED');
    } finally {
      delete t.services.settings.trialScopes;
    }
  });
});
