import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import type { ClientAppStatus } from './client-app.ts';
import { decideClientApp, findClientByApiKey, listClientApps } from './index.ts';
import { replace } from './operations.ts';
import { getById } from './reads.ts';
import { fails, newApp, newPerson } from './testing.ts';

describe('client apps: decide', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('client-apps/decide');
  });
  after(() => t.close());

  const legalWays = [
    'PENDING APPROVED',
    'PENDING REJECTED',
    'APPROVED LISTED',
    'APPROVED REVOKED',
    'LISTED APPROVED',
    'LISTED REVOKED',
    'REJECTED PENDING',
  ];
  const waysTo: Record<ClientAppStatus, ClientAppStatus[]> = {
    PENDING: [],
    APPROVED: ['APPROVED'],
    LISTED: ['APPROVED', 'LISTED'],
    REJECTED: ['REJECTED'],
    REVOKED: ['APPROVED', 'REVOKED'],
  };
  const statuses = Object.keys(waysTo) as ClientAppStatus[];

  test('status follows the allowed transitions, and REVOKED is final', async () => {
    const set = (id: string, status: ClientAppStatus) =>
      replace(t.as(operator), { id, body: { status, name: 'An app' } });
    for (const [from, to] of statuses
      .flatMap((a) => statuses.map((b) => [a, b] as const))
      .filter(([a, b]) => a !== b)) {
      const { id } = await newApp(t, newPerson());
      for (const status of waysTo[from]) await set(id, status);
      const isLegal = legalWays.includes(`${from} ${to}`);
      if (isLegal) await set(id, to);
      else await assert.rejects(set(id, to), fails('STATE_CONFLICT'), `${from} ${to}`);
      assert.equal((await getById(t.as(operator), { id })).status, isLegal ? to : from);
    }
  });

  test('an application that requests OpenID Connect scopes is approved with them', async () => {
    const { id } = await newApp(t, newPerson());
    const scopes = ['openid', 'profile', 'user:read'];
    const approved = await decideClientApp(t.as(operator), { id, decision: 'approve', scopes });
    assert.deepEqual(approved.allowedScopes, scopes);
    const body = { name: 'An app', status: 'LISTED', requestedScopes: scopes, allowedScopes: scopes } as const;
    await replace(t.as(operator), { id, body: { ...body, disallowedScopes: ['email'] } });
    const { requestedScopes, allowedScopes, disallowedScopes } = await getById(t.as(operator), { id });
    assert.deepEqual([requestedScopes, allowedScopes, disallowedScopes], [scopes, scopes, ['email']]);
    const unknown = replace(t.as(operator), { id, body: { ...body, allowedScopes: ['openid', 'openids'] } });
    await assert.rejects(unknown, fails('VALIDATION_FAILED'));
  });

  test('every decision is recorded with actor, time and reason', async () => {
    const { id } = await newApp(t, newPerson());
    const ctx = t.as(operator);
    await decideClientApp(ctx, { id, decision: 'approve' });
    await decideClientApp(ctx, { id, decision: 'list' });
    t.advanceSeconds(60);
    const revoked = await decideClientApp(ctx, { id, decision: 'revoke', notes: 'It sent spam.' });
    assert.deepEqual(
      revoked.actions?.map(({ action }) => action),
      ['create', 'approve', 'list', 'revoke'],
    );
    const timestamp = t.services.clock().toISOString();
    assert.deepEqual(revoked.actions?.at(-1), {
      action: 'revoke',
      actionBy: '$admin',
      timestamp,
      notes: 'It sent spam.',
    });
  });

  test('scopes are granted by the operator, and only ones that exist', async () => {
    const { id } = await newApp(t, newPerson());
    const ctx = t.as(operator);
    await assert.rejects(
      decideClientApp(ctx, { id, decision: 'approve', scopes: ['sky:fall'] }),
      fails('VALIDATION_FAILED'),
    );
    const scopes = ['community:read', 'discord-integration:read-guild-role'];
    const approved = await decideClientApp(ctx, { id, decision: 'approve', scopes });
    assert.deepEqual(approved.allowedScopes, ['community:read', 'discord:guild']);
    assert.deepEqual((await decideClientApp(ctx, { id, decision: 'list' })).allowedScopes, approved.allowedScopes);
  });

  test('only the operator decides and sees all applications', async () => {
    const person = newPerson();
    const { id } = await newApp(t, person);
    const body = { status: 'APPROVED' as const, name: 'An app', allowedScopes: ['$all'] };
    await assert.rejects(decideClientApp(t.as(person), { id, decision: 'approve' }), fails('ROLE_NOT_ALLOWED'));
    await assert.rejects(replace(t.as(person), { id, body }), fails('ROLE_NOT_ALLOWED'));
    await assert.rejects(listClientApps(t.as(person)), fails('ROLE_NOT_ALLOWED'));
    assert.equal((await getById(t.as(person), { id })).status, 'PENDING');

    await decideClientApp(t.as(operator), { id, decision: 'reject', notes: 'No address.' });
    assert.ok((await listClientApps(t.as(operator), { status: 'REJECTED' })).some((app) => app.id === id));
    assert.ok((await listClientApps(t.as(operator), { status: 'PENDING' })).every((app) => app.status === 'PENDING'));
    assert.ok((await listClientApps(t.as(operator))).some((app) => app.id === id));
  });

  test('a repeated decision is refused, and of two concurrent ones one succeeds', async () => {
    const { id } = await newApp(t, newPerson());
    const decide = (decision: 'approve' | 'reject') => decideClientApp(t.as(operator), { id, decision });
    const results = await Promise.allSettled([decide('approve'), decide('reject')]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const { status, actions } = await getById(t.as(operator), { id });
    await assert.rejects(decide(status === 'APPROVED' ? 'approve' : 'reject'), fails('STATE_CONFLICT'));
    assert.equal(actions?.length, 2);
  });

  test('the operator replaces everything but secrets, owner and trail', async () => {
    const person = newPerson();
    const app = await newApp(t, person, {
      feedback: 'Hello',
      webhookUrl: 'https://app.example/hook',
      subscribeEvents: ['client-app.deleted'],
    });
    await replace(t.as(operator), {
      id: app.id,
      body: {
        status: 'APPROVED',
        name: 'Replaced',
        tenant: 'partners',
        allowedScopes: ['community:read', '$internal'],
        disallowedScopes: ['community:write'],
        requestedScopes: ['community:read'],
        allowedGrantTypes: ['password', 'implicit'],
        id: 'other',
        createdById: 'DIS#USER#666',
        pk: 'other',
        apiKey: 'chosen',
        apiKeyHash: 'f'.repeat(64),
        secret: 'chosen',
        actions: [],
      },
    });
    const replaced = await getById(t.as(person), { id: app.id });
    assert.deepEqual(
      [replaced.name, replaced.tenant, replaced.feedback, replaced.webhookUrl, replaced.subscribeEvents],
      ['Replaced', 'partners', undefined, undefined, []],
    );
    assert.deepEqual(
      [replaced.createdById, replaced.pk, replaced.clientType],
      [person.userId, person.userId, 'confidential'],
    );
    assert.deepEqual(replaced.allowedGrantTypes, ['password', 'implicit']);
    assert.deepEqual(
      replaced.actions?.map(({ action }) => action),
      ['create', 'replace'],
    );
    const found = await findClientByApiKey(t.services, app.apiKey);
    assert.deepEqual(found?.client, {
      id: app.id,
      name: 'Replaced',
      allowedScopes: ['community:read', '$internal'],
      disallowedScopes: ['community:write'],
    });
  });

  test('a refused replacement changes nothing', async () => {
    const { id, apiKey, clientSecret, secret, ...shown } = await newApp(t, newPerson());
    const body = { status: 'APPROVED' as const, name: 'Replaced' };
    const ctx = t.as(operator);
    await assert.rejects(
      replace(ctx, { id, body: { ...body, allowedScopes: ['sky:fall'] } }),
      fails('VALIDATION_FAILED'),
    );
    await assert.rejects(
      replace(ctx, { id, body: { ...body, webhookUrl: 'http://a.example' } }),
      fails('VALIDATION_FAILED'),
    );
    await assert.rejects(replace(ctx, { id, body: { ...body, status: 'LISTED' } }), fails('STATE_CONFLICT'));
    await assert.rejects(replace(ctx, { id: 'missing', body }), fails('ENTITY_NOT_FOUND'));
    assert.deepEqual(await getById(ctx, { id }), { id, ...shown });
  });

  test('a client that stops being confidential loses its secret', async () => {
    const { id } = await newApp(t, newPerson());
    const hash = async () => {
      const query = t.services.db.system.selectFrom('client_apps').select('client_secret_hash').where('id', '=', id);
      return (await query.executeTakeFirstOrThrow()).client_secret_hash;
    };
    assert.notEqual(await hash(), null);
    await replace(t.as(operator), { id, body: { status: 'PENDING', name: 'Replaced', clientType: 'public' } });
    assert.equal(await hash(), null);
  });
});
