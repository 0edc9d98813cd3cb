import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createDevelopmentApp, decideClientApp } from '../client-apps/index.ts';
import { acceptsOrigin, chooseRpId } from './relying-party.ts';

test('passkeys are bound to the server’s host unless a parent domain is requested', () => {
  const baseUrl = 'https://api.app.example.org:8443';
  assert.equal(chooseRpId(baseUrl, undefined), 'api.app.example.org');
  for (const parent of ['api.app.example.org', 'app.example.org', 'example.org'])
    assert.equal(chooseRpId(baseUrl, parent), parent);
  for (const strange of [
    'org',
    'ample.org',
    'other.example.org',
    'v2.api.app.example.org',
    'example.org.evil.test',
    '.example.org',
    'EXAMPLE.org',
    'https://example.org',
    'localhost',
    '',
  ]) {
    assert.throws(() => chooseRpId(baseUrl, strange), { code: 'INVALID_PARAMETER_VALUE' }, strange);
  }
});

test('a server on this machine uses localhost, however its address is written', () => {
  for (const baseUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://a.localhost'])
    assert.equal(chooseRpId(baseUrl, undefined), 'localhost');
  assert.equal(chooseRpId('http://127.0.0.1:3000', 'localhost'), 'localhost');
  assert.throws(() => chooseRpId('http://127.0.0.1:3000', '127.0.0.1'), { code: 'INVALID_PARAMETER_VALUE' });
});

test('on a server with only an IP address, the error says that passkeys need a host name', () => {
  for (const baseUrl of ['http://192.0.2.7', 'https://[2001:db8::1]:8443'])
    assert.throws(() => chooseRpId(baseUrl, undefined), { code: 'STATE_CONFLICT', message: /LATCHKEY_BASE_URL/ });
});

describe('the pages that may use passkeys', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('relying-party');
  });
  after(() => t.close());

  const at = (baseUrl: string, actor: Actor = nobody) => ({
    ...t.as(actor),
    settings: { ...t.services.settings, baseUrl },
  });

  test('are those of the domain itself and of the server, over https', async () => {
    const ctx = at('https://api.example.org:8443');
    for (const origin of ['https://example.org', 'https://api.example.org:8443'])
      assert.equal(await acceptsOrigin(ctx, 'example.org', origin), true, origin);
    for (const origin of [
      'http://example.org',
      'https://example.org:444',
      'https://example.org/',
      'https://example.org.',
      'https://EXAMPLE.org',
      'https://www.example.org',
      'https://evil.test',
      'https://example.org.evil.test',
      'https://evil-example.org',
      'https://example.org@evil.test',
      'http://localhost:3000',
      'null',
      '',
      'android:apk-key-hash:AAAA',
      'file:///example.org',
    ]) {
      assert.equal(await acceptsOrigin(ctx, 'example.org', origin), false, origin);
    }
  });

  test('are those of every port of localhost when that is the domain', async () => {
    const ctx = at('http://127.0.0.1:3000');
    for (const origin of ['http://localhost', 'http://localhost:5173', 'https://localhost:8443'])
      assert.equal(await acceptsOrigin(ctx, 'localhost', origin), true, origin);
    for (const origin of [
      'http://127.0.0.1:3000',
      'http://evil.localhost:80',
      'http://localhost.evil.test',
      'http://localhost:5173/',
      'http://evil@localhost:5173',
      'ftp://localhost',
    ])
      assert.equal(await acceptsOrigin(ctx, 'localhost', origin), false, origin);
  });

  test('are those under the domain that the calling application is registered for, while it works', async () => {
    const app = await createDevelopmentApp(t.as(operator), { userId: 'DIS#USER#7', name: 'App', scopes: ['$all'] });
    const client = { id: app.id ?? '', name: 'App', allowedScopes: ['$all'], disallowedScopes: [] };
    const origins = ['https://app.example.org', 'https://app.evil.test', 'http://plain.example.org'];
    await t.services.db.system
      .updateTable('client_apps')
      .set({ allowed_origins: origins })
      .where('id', '=', client.id)
      .execute();
    const accepts = (actor: Actor, origin: string) =>
      acceptsOrigin(at('https://api.example.org', actor), 'example.org', origin);
    const byApp: Actor = { kind: 'client', client, credential: 'api-key' };
    assert.equal(await accepts(byApp, 'https://app.example.org'), true);
    assert.equal(await accepts(nobody, 'https://app.example.org'), false);
    assert.equal(await accepts(byApp, 'https://app.evil.test'), false);
    assert.equal(await accepts(byApp, 'http://plain.example.org'), false);
    await decideClientApp(t.as(operator), { id: client.id, decision: 'revoke' });
    assert.equal(await accepts(byApp, 'https://app.example.org'), false);
  });
});
