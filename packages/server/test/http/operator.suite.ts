import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('http: what the operator does', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const asOperator = (method: string, path: string, body?: unknown) =>
    server.request(method, path, {
      headers: { 'x-api-key': server.adminKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  interface Entry {
    action: string;
    target?: string;
    subject?: string;
    reason?: string;
    details: Record<string, unknown>;
  }
  async function newest(action: string): Promise<Entry | undefined> {
    const { json } = await asOperator('GET', `/latchkey/audit-log?action=${action}&limit=1`);
    const [entry] = json.items as Entry[];
    return entry;
  }

  test('is audited with the decision, its subject and the reason, and nothing else that was sent', async () => {
    const authorization = await server.aeToken('DIS#USER#100');
    const made = await server.request('POST', '/client-apps', {
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Waiting' }),
    });
    const { id } = made.json;
    const decided = await asOperator('POST', `/latchkey/operator/applications/${id}/decision`, {
      decision: 'approve',
      scopes: ['user:read'],
      notes: 'Looks fine.',
    });
    assert.deepEqual([decided.status, decided.json.status], [200, 'APPROVED']);
    const entry = await newest('app.decide');
    assert.deepEqual(
      [entry?.target, entry?.reason, entry?.details],
      [id, 'Looks fine.', { decision: 'approve', scopes: ['user:read'] }],
    );
    const invited = await asOperator(
      'PUT',
      `/latchkey/operator/waiting-list/guests/${encodeURIComponent('DIS#USER#7')}`,
    );
    assert.equal(invited.status, 204);
    assert.equal((await newest('waiting-list.invite'))?.subject, 'DIS#USER#7');
    const { items } = (await asOperator('GET', '/latchkey/operator/waiting-list/guests')).json;
    assert.deepEqual(
      (items as { userId: string }[]).map(({ userId }) => userId),
      ['DIS#USER#7'],
    );
  });

  test('erases an account by its id, and refuses an invalid one', async () => {
    const erase = (userId: string) =>
      asOperator('POST', `/latchkey/operator/people/${encodeURIComponent(userId)}/erase`, { reason: 'They asked.' });
    const { status, json } = await erase('DIS#USER#555');
    assert.deepEqual([status, json.state], [200, 'erased']);
    assert.equal((await newest('account.erase'))?.reason, 'They asked.');
    assert.equal((await erase('alice')).status, 400);
    const signed = await asOperator('GET', '/latchkey/operator/people/DIS%23USER%23555/signatures');
    assert.deepEqual([signed.status, signed.json], [200, []], 'no signer was ever set up here');
  });

  test('shows settings without secrets, health with advice, and a key only in the response that made it', async () => {
    const settings = await asOperator('GET', '/latchkey/operator/settings');
    assert.ok((settings.json as unknown as unknown[]).length > 50);
    const health = await asOperator('GET', '/latchkey/operator/health');
    assert.equal(health.status, 200);
    for (const expiresTime of ['December 2099', '2099-12-31', '1'])
      assert.equal((await asOperator('POST', '/latchkey/operator/admin-keys', { name: 'x', expiresTime })).status, 422);
    const { json: made } = await asOperator('POST', '/latchkey/operator/admin-keys', { name: 'Deputy' });
    const keys = await asOperator('GET', '/latchkey/operator/admin-keys');
    assert.ok(keys.text.includes('Deputy') && !keys.text.includes(String(made.key)));
    const used = await server.request('GET', '/latchkey/operator/jobs', { headers: { 'x-api-key': String(made.key) } });
    assert.equal(used.status, 200);
    assert.equal((await asOperator('DELETE', `/latchkey/operator/admin-keys/${made.id}`)).status, 204);
    assert.equal((await newest('admin-key.revoke'))?.target, made.id);
    const refused = await server.request('GET', '/latchkey/operator/jobs', {
      headers: { 'x-api-key': String(made.key) },
    });
    assert.equal(refused.status, 401);
  });
});
