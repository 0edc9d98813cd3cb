import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fails, newOrganization, newPerson } from '../../identity/client-apps/testing.ts';
import { alice, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { decideMiniApp, type MiniAppDecision } from './decide.ts';
import { createMiniApp, getMiniApp, setMiniAppProfile, submitMiniApp } from './operations.ts';

describe('reviewing mini-apps', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('decide-mini-apps');
  });
  after(() => t.close());

  const register = async () => {
    const owner = newPerson();
    const pk = await newOrganization(t, owner, { verified: true });
    const { id = '' } = await createMiniApp(t.as(owner), { body: { pk, name: 'Greeter', description: 'Greets' } });
    return id;
  };
  const decide = (id: string, decision: MiniAppDecision, notes?: string) =>
    decideMiniApp(t.as(operator), { id, decision, notes });

  test('a rejected one is reopened, and can be approved then', async () => {
    const id = await register();
    assert.equal((await decide(id, 'reject', 'No description.')).status, 'REJECTED');
    await assert.rejects(decide(id, 'approve'), fails('STATE_CONFLICT'));
    assert.equal((await decide(id, 'reopen', 'It has one now.')).status, 'PENDING');
    const { status, actions } = await decide(id, 'approve');
    assert.equal(status, 'APPROVED');
    assert.deepEqual(
      actions?.map(({ action, notes }) => [action, notes]),
      [
        ['create', undefined],
        ['reject', 'No description.'],
        ['reopen', 'It has one now.'],
        ['approve', undefined],
      ],
    );
  });

  test('only a rejected one can be reopened, and only by the operator', async () => {
    const id = await register();
    await assert.rejects(decide(id, 'reopen'), fails('STATE_CONFLICT'));
    await decide(id, 'reject');
    await assert.rejects(decideMiniApp(t.as(alice), { id, decision: 'reopen' }), fails('ROLE_NOT_ALLOWED'));
  });

  test('its developer fixes a rejected one and submits it again; no one else can', async () => {
    const owner = newPerson();
    const pk = await newOrganization(t, owner, { verified: true });
    const { id = '' } = await createMiniApp(t.as(owner), { body: { pk, name: 'Greeter', description: 'Greets' } });
    const submit = (notes?: string) => submitMiniApp(t.as(owner), { miniAppId: id, body: { notes } });
    await assert.rejects(submit(), fails('STATE_CONFLICT'));
    await decide(id, 'reject', 'No address.');
    const body = { description: 'Greets people', url: 'https://mini.example/app/' };
    await setMiniAppProfile(t.as(owner), { miniAppId: id, body });
    const { status, url, actions } = await submit('It has an address now.');
    assert.deepEqual(
      [status, url, actions?.at(-1)?.notes],
      ['PENDING', 'https://mini.example/app', 'It has an address now.'],
    );
    assert.equal(actions?.at(-1)?.actionBy, owner.userId);
    await decide(id, 'approve');
    await assert.rejects(submit(), fails('STATE_CONFLICT'));
    await decide(id, 'revoke');
    assert.equal((await submit()).status, 'PENDING');
    await assert.rejects(setMiniAppProfile(t.as(newPerson()), { miniAppId: id, body }), fails('ENTITY_NOT_FOUND'));
  });

  test('an approved one keeps its URL and may change its description', async () => {
    const owner = newPerson();
    const pk = await newOrganization(t, owner, { verified: true });
    const url = 'https://mini.example';
    const { id = '' } = await createMiniApp(t.as(owner), { body: { pk, name: 'Greeter', description: 'Greets', url } });
    await decide(id, 'approve');
    const set = (body: { description: string; url?: string }) =>
      setMiniAppProfile(t.as(owner), { miniAppId: id, body });
    await assert.rejects(set({ description: 'Greets', url: 'https://other.example' }), fails('STATE_CONFLICT'));
    assert.equal((await set({ description: 'Greets all', url })).description, 'Greets all');
    for (const bad of ['http://mini.example', 'https://mini.example/?a=b', 'https://u:p@mini.example'])
      await assert.rejects(set({ description: 'Greets', url: bad }), fails('VALIDATION_FAILED'));
    const { app, commands, version } = await getMiniApp(t.as(owner), { miniAppId: id });
    assert.deepEqual([app.status, app.privateKey, commands, version], ['APPROVED', undefined, [], undefined]);
    await assert.rejects(getMiniApp(t.as(newPerson()), { miniAppId: id }), fails('ENTITY_NOT_FOUND'));
  });
});
