import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import type { ClientRef } from '@latchkey/kernel';
import { nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { issueAccessToken, revokeAccessToken, verifyAccessToken } from './index.ts';

const refused = { name: 'AppError', code: 'INVALID_CREDENTIAL' };
const client: ClientRef = {
  id: 'app',
  name: 'App',
  allowedScopes: ['user:read', 'token-gating'],
  disallowedScopes: [],
};
const findClient = async (id: string) => (id === client.id ? client : undefined);
const findNone = async () => undefined;

describe('access tokens', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('access-token');
  });
  after(() => t.close());

  const forUser = { kind: 'user', userId: 'u', platform: 'discord', name: 'Ursula', clientId: 'app' } as const;
  const issue = (scopes: string[] = ['user:read'], ttlSeconds = 60) =>
    issueAccessToken(t.as(nobody), { holder: forUser, scopes, ttlSeconds });
  const issueForApp = (scopes: string[]) =>
    issueAccessToken(t.as(nobody), { holder: { kind: 'client', clientId: 'app' }, scopes, ttlSeconds: 60 });

  test('a user’s token represents the user and the application', async () => {
    const { token, expiresAt } = await issue();
    assert.match(token, /^lk_at_[A-Za-z0-9_-]{43}$/);
    assert.equal(expiresAt.getTime(), t.services.clock().getTime() + 60_000);
    assert.deepEqual(await verifyAccessToken(t.services, token, findClient), {
      kind: 'user',
      userId: 'u',
      platform: 'discord',
      name: 'Ursula',
      scopes: ['user:read'],
      credential: 'mini-app-token',
      client,
    });
  });

  test('a user’s token needs no application', async () => {
    const holder = { kind: 'user', userId: 'u', platform: 'discord' } as const;
    const { token } = await issueAccessToken(t.as(nobody), { holder, scopes: [], ttlSeconds: 60 });
    const actor = await verifyAccessToken(t.services, token, findNone);
    assert.deepEqual(actor, {
      kind: 'user',
      userId: 'u',
      platform: 'discord',
      scopes: [],
      credential: 'operator-token',
    });
  });

  test('an application’s token allows no more than both it and the application may', async () => {
    const allowedFor = async (granted: string[], allowed: readonly string[] | null) => {
      const { token } = await issueForApp(granted);
      const actor = await verifyAccessToken(t.services, token, async () => ({ ...client, allowedScopes: allowed }));
      assert.equal(actor.kind, 'client');
      return actor.client?.allowedScopes;
    };
    assert.deepEqual(await allowedFor(['user:read', 'community:write'], client.allowedScopes), ['user:read']);
    assert.deepEqual(await allowedFor(['user:read'], ['$all']), ['user:read']);
    assert.deepEqual(await allowedFor(['user:read'], null), ['user:read']);
    assert.deepEqual(await allowedFor(['$all'], client.allowedScopes), client.allowedScopes);
    assert.deepEqual(await allowedFor([], ['$internal']), []);
  });

  test('a token ends when it expires, is revoked or its application ends', async () => {
    const { token } = await issue();
    await assert.rejects(verifyAccessToken(t.services, token, findNone), refused);
    t.advanceSeconds(59);
    await verifyAccessToken(t.services, token, findClient);
    t.advanceSeconds(1);
    await assert.rejects(verifyAccessToken(t.services, token, findClient), refused);

    const { token: second } = await issue();
    await revokeAccessToken(t.as(nobody), second);
    await revokeAccessToken(t.as(nobody), second);
    await assert.rejects(verifyAccessToken(t.services, second, findClient), refused);
  });

  test('a foreign token is refused, and revoking it is not an error', async () => {
    const { token } = await issue();
    const last = token.at(-1) === 'A' ? 'B' : 'A';
    for (const wrong of [
      '',
      'x',
      token.slice(6),
      `${token} `,
      token.toUpperCase(),
      `${token.slice(0, -1)}${last}`,
      "lk_at_' or 1=1",
      'lk_at_\0',
    ]) {
      await assert.rejects(verifyAccessToken(t.services, wrong, findClient), refused, wrong);
      await revokeAccessToken(t.as(nobody), wrong);
    }
    await verifyAccessToken(t.services, token, findClient);
  });

  test('a token with no lifetime is not issued', async () => {
    for (const ttlSeconds of [0, -1, Number.NaN])
      await assert.rejects(issue([], ttlSeconds), /must be valid for more than/);
  });

  test('a token is found on existing connections after a migration has added a column', async () => {
    const { token } = await issue();
    await verifyAccessToken(t.services, token, findClient);
    await sql`alter table access_tokens add column added_later text`.execute(t.services.db.system);
    await verifyAccessToken(t.services, token, findClient);
  });

  test('neither the table nor the log holds a token', async () => {
    const { token } = await issue();
    await assert.rejects(verifyAccessToken(t.services, `${token}x`, findClient), refused);
    const rows = await t.services.db.system.selectFrom('access_tokens').selectAll().execute();
    assert.equal(JSON.stringify([rows, t.log.lines]).includes(token.slice(6)), false);
  });
});
