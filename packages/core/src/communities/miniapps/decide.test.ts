import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fails, newOrganization, newPerson } from '../../developers/client-apps/testing.ts';
import { alice, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createMiniApp } from './create.ts';
import { decideMiniApp, type MiniAppDecision } from './decide.ts';

describe('deciding over mini-apps', () => {
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

  test('one that was turned down is taken up again, and can be approved then', async () => {
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

  test('nothing but a rejected one is taken up again, and nobody but the operator does it', async () => {
    const id = await register();
    await assert.rejects(decide(id, 'reopen'), fails('STATE_CONFLICT'));
    await decide(id, 'reject');
    await assert.rejects(decideMiniApp(t.as(alice), { id, decision: 'reopen' }), fails('ROLE_NOT_ALLOWED'));
  });
});
