import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import {
  decideClientApp,
  findClientByApiKey,
  findClientOfOrganization,
  findClientRef,
  findRedirectTargets,
  isKnownOrigin,
} from './index.ts';
import { remove, replace } from './operations.ts';
import { newApp, newOrganization, newPerson } from './testing.ts';

describe('client apps: find client', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('client-apps/find-client');
  });
  after(() => t.close());

  test('an application is found by key, id and origin only while it is approved or listed', async () => {
    const { pool } = t.services.db;
    const person = newPerson();
    const origin = 'https://only-here.example';
    const redirectUris = ['https://only-here.example/cb'];
    const { id, apiKey } = await newApp(t, person, { allowedOrigins: [origin], redirectUris });
    const isKnown = async () => {
      const answers = [
        (await findClientByApiKey(t.services, apiKey)) !== undefined,
        (await findClientRef(pool, id)) !== undefined,
        await isKnownOrigin(pool, origin),
        (await findRedirectTargets(t.as(person), id)) !== undefined,
      ];
      assert.equal(new Set(answers).size, 1, `They must agree: ${answers.join()}`);
      return answers[0];
    };
    assert.equal(await isKnown(), false);
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    assert.equal(await isKnown(), true);
    assert.deepEqual(await findRedirectTargets(t.as(person), id), { redirectUris, allowedOrigins: [origin] });
    await decideClientApp(t.as(operator), { id, decision: 'list' });
    assert.equal(await isKnown(), true);
    await decideClientApp(t.as(operator), { id, decision: 'revoke' });
    assert.equal(await isKnown(), false);
  });

  test('an id that nobody has stands for the only active application of an organization', async () => {
    const person = newPerson();
    const [pk, other] = [
      await newOrganization(t, person, { verified: true }),
      await newOrganization(t, newPerson(), { verified: true }),
    ];
    const find = async (organizationId: string, id: string) =>
      (await findClientOfOrganization(t.services.db.pool, organizationId, id))?.client.id;
    assert.equal(await find(pk, 'a_template'), undefined);
    const first = await newApp(t, person, { pk });
    assert.equal(await find(pk, 'a_template'), undefined, 'it is not approved yet');
    await decideClientApp(t.as(operator), { id: first.id, decision: 'approve' });
    assert.equal(await find(pk, first.id), first.id);
    assert.equal(await find(pk, 'a_template'), first.id);
    assert.equal(await find(other, first.id), undefined, 'it belongs to another organization');
    assert.equal(await find(other, 'a_template'), undefined);
    const second = await newApp(t, person, { pk });
    await decideClientApp(t.as(operator), { id: second.id, decision: 'approve' });
    assert.equal(await find(pk, 'a_template'), undefined, 'there are two');
    await decideClientApp(t.as(operator), { id: second.id, decision: 'revoke' });
    assert.equal(await find(pk, 'a_template'), first.id);
    assert.equal(await find(pk, second.id), undefined, 'it has this id, and was revoked');
  });

  test('an origin is dropped when no active application lists it', async () => {
    const { pool } = t.services.db;
    const person = newPerson();
    const origin = 'https://shared.example';
    const [first, second] = [
      await newApp(t, person, { allowedOrigins: [origin] }),
      await newApp(t, person, { allowedOrigins: [origin] }),
    ];
    for (const { id } of [first, second]) await decideClientApp(t.as(operator), { id, decision: 'approve' });
    await remove(t.as(person), { id: first.id });
    assert.equal(await isKnownOrigin(pool, origin), true);
    await replace(t.as(operator), {
      id: second.id,
      body: { status: 'APPROVED', name: 'An app', allowedOrigins: ['https://other.example'] },
    });
    assert.equal(await isKnownOrigin(pool, origin), false);
    assert.equal(await isKnownOrigin(pool, 'https://other.example'), true);
    assert.equal(await isKnownOrigin(pool, 'https://other'), false);
  });

  test('the key lookup returns what a request needs: scopes, restrictions and the organization’s plan', async () => {
    const person = newPerson();
    const organizationId = await newOrganization(t, person, { verified: true });
    const limits = {
      allowedOrigins: ['https://a.example'],
      allowedReferrers: ['https://a.example/x'],
      allowedIpAddresses: ['192.0.2.0/24'],
    };
    const { id, apiKey } = await newApp(t, person, { pk: organizationId, ...limits });
    await decideClientApp(t.as(operator), { id, decision: 'approve', scopes: ['community:read'] });
    const expected = {
      client: { id, name: 'An app', allowedScopes: ['community:read'], disallowedScopes: [] },
      status: 'APPROVED',
      ...limits,
      organizationId,
      planId: 'free',
      isOldKey: false,
    };
    assert.deepEqual(await findClientByApiKey(t.services, apiKey), expected);
    assert.deepEqual(await findClientRef(t.services.db.pool, id), expected);

    const single = await newApp(t, person);
    await decideClientApp(t.as(operator), { id: single.id, decision: 'approve' });
    const found = await findClientByApiKey(t.services, single.apiKey);
    assert.deepEqual([found?.organizationId, found?.planId, found?.client.allowedScopes], [undefined, undefined, []]);
  });

  test('keys that are malformed, unknown or in another case match no application', async () => {
    const { id, apiKey } = await newApp(t, newPerson());
    await decideClientApp(t.as(operator), { id, decision: 'approve' });
    const find = (key: string) => findClientByApiKey(t.services, key);
    const upper = apiKey.replace(/[a-z]/g, (letter) => letter.toUpperCase());
    const others = [
      '',
      id,
      `${id}.`,
      `${apiKey}x`,
      ` ${apiKey}`,
      upper,
      `${id}.${'a'.repeat(43)}`,
      "' or 1=1 --",
      '\u0000',
    ];
    for (const key of others) assert.equal(await find(key), undefined);
    assert.notEqual(await find(apiKey), undefined);
  });
});
