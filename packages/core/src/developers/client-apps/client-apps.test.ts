import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contextFor } from '../../context.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { create } from './create.ts';
import { decideClientApp, findClientByApiKey, ownerOfClientApp } from './index.ts';
import { findOwn, getById } from './reads.ts';
import { remove } from './remove.ts';
import { rename } from './rename.ts';
import { resetApiKey } from './reset-api-key.ts';
import { fails, newApp, newPerson } from './testing.ts';

describe('client apps', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('client-apps');
  });
  after(() => t.close());

  const find = (key: string) => findClientByApiKey(t.services.db.pool, key);

  test('own applications are listed newest first, page by page, and nobody else’s', async () => {
    const person = newPerson();
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.push((await newApp(t, person)).id);
      // Two of them share their time, so that the order must not rest on time alone.
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

  test('a stranger’s application and a missing one are answered alike, by every verb', async () => {
    const app = await newApp(t, newPerson());
    const stranger = t.as(newPerson());
    const verbs: [name: string, call: (id: string) => Promise<unknown>][] = [
      ['get', (id) => getById(stranger, { id })],
      ['rename', (id) => rename(stranger, { id, body: { name: 'Mine' } })],
      ['remove', (id) => remove(stranger, { id })],
      ['reset', (id) => resetApiKey(stranger, { clientAppId: id })],
    ];
    const isMissing = { code: 'ENTITY_NOT_FOUND', message: 'There is no such client application.' };
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

  test('an owner cannot push a decision out of the audit trail', async () => {
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

  test('the key of a deleted application stops at once, and its place in the plan is free again', async () => {
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
    // The random part alone must not be there either.
    for (const part of secrets.flatMap((secret) => [secret, secret.split(/[._]/).at(-1) ?? ''])) {
      assert.ok(part.length > 40);
      assert.ok(!everything.includes(part));
    }
  });
});
