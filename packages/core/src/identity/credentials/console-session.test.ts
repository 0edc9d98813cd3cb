import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor, PersonCredential } from '@latchkey/kernel';
import type { Browser } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import {
  createAdminKey,
  endSessionsOf,
  openConsoleSession,
  purgeExpiredCredentials,
  revokeAdminKey,
  verifyConsoleSession,
} from './index.ts';

type Person = Extract<Actor, { kind: 'user' }>;

const refused = { name: 'AppError', code: 'INVALID_CREDENTIAL' };
const here = '192.0.2.7';
const hour = 60 * 60;

describe('a console session', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('console-session');
  });
  after(() => t.close());

  const person = (more: Partial<Person> = {}): Person => ({
    kind: 'user',
    userId: 'DIS#USER#1',
    platform: 'discord',
    name: 'Ursula',
    scopes: ['$all'],
    credential: 'passkey-session',
    presence: { how: 'passkey', at: t.services.clock() },
    ...more,
  });

  /** A browser that stores cookies. */
  function newBrowser(): Browser & { kept: () => string } {
    const browser: Browser = {
      sessionSecret: undefined,
      keepSession: (secret) => {
        browser.sessionSecret = secret;
      },
      forgetSession: () => {
        browser.sessionSecret = undefined;
      },
    };
    return Object.assign(browser, { kept: () => browser.sessionSecret ?? '' });
  }

  const open = (actor: Actor, browser: Browser | undefined = newBrowser()) =>
    openConsoleSession({ ...t.as(actor), ...(browser && { browser }) });
  const verify = (secret: string, address = here) => verifyConsoleSession(t.services, secret, address);

  test('represents the user who signed in, with the same scopes and presence', async () => {
    const browser = newBrowser();
    const at = t.services.clock();
    const { id } = await open(person(), browser);
    assert.match(browser.kept(), /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(await verify(browser.kept()), {
      kind: 'user',
      userId: 'DIS#USER#1',
      platform: 'discord',
      name: 'Ursula',
      scopes: ['$all'],
      credential: 'console-session',
      presence: { how: 'passkey', at },
      sessionId: id,
    });
  });

  test('is stored as a hash', async () => {
    const browser = newBrowser();
    await open(person(), browser);
    const rows = await t.services.db.system.selectFrom('console_sessions').selectAll().execute();
    assert.ok(rows.length > 0);
    assert.ok(!JSON.stringify(rows).includes(browser.kept()));
    assert.ok(!t.log.lines.join().includes(browser.kept()));
  });

  test('ends after 12 hours without use, and after 7 days however much it is used', async () => {
    const [idle, busy] = [newBrowser(), newBrowser()];
    await open(person(), idle);
    await open(person(), busy);
    t.advanceSeconds(11 * hour);
    await verify(busy.kept());
    t.advanceSeconds(hour);
    await assert.rejects(verify(idle.kept()), refused);
    // From hour 12 in steps of 11: the last use is in hour 166 of 168.
    for (let count = 0; count < 15; count++) {
      await verify(busy.kept());
      t.advanceSeconds(11 * hour);
    }
    await assert.rejects(verify(busy.kept()), refused);
  });

  test('replaces the session the browser had, even one of another user', async () => {
    const browser = newBrowser();
    await open(person(), browser);
    const first = browser.kept();
    await open(person({ userId: 'DIS#USER#2' }), browser);
    await assert.rejects(verify(first), refused);
    assert.notEqual(browser.kept(), first);
  });

  test('ends with everything that ends the sessions of its user, and with no one else’s', async () => {
    const [mine, theirs] = [newBrowser(), newBrowser()];
    await open(person({ userId: 'DIS#USER#3' }), mine);
    await open(person({ userId: 'DIS#USER#4' }), theirs);
    await t.services.db.transaction('system', (tx) => endSessionsOf(t.services, tx, 'DIS#USER#3'));
    await assert.rejects(verify(mine.kept()), refused);
    await verify(theirs.kept());
  });

  test('of the operator names its key, ends with it and has the same IP restrictions', async () => {
    const { id, key } = await createAdminKey(t.services, 'Olga', { allowedIpAddresses: ['192.0.2.0/24'] });
    assert.ok(key);
    const browser = newBrowser();
    const session = await open({ kind: 'admin', name: 'Olga', keyId: id }, browser);
    assert.deepEqual(await verify(browser.kept()), { kind: 'admin', name: 'Olga', keyId: id, sessionId: session.id });
    await assert.rejects(verify(browser.kept(), '198.51.100.1'), refused);
    await revokeAdminKey(t.services, id);
    await assert.rejects(verify(browser.kept()), refused);
  });

  test('of the operator ends when its key expires', async () => {
    const expiresAt = new Date(t.services.clock().getTime() + hour * 1000);
    const { id } = await createAdminKey(t.services, 'Otto', { expiresAt });
    const browser = newBrowser();
    await open({ kind: 'admin', name: 'Otto', keyId: id }, browser);
    await verify(browser.kept());
    t.advanceSeconds(hour);
    await assert.rejects(verify(browser.kept()), refused);
  });

  test('cannot be opened or extended by a credential with limited access', async () => {
    const client = { id: 'app', name: 'App', allowedScopes: ['$all'], disallowedScopes: [] };
    const notSignIns: PersonCredential[] = [
      'console-session',
      'connect-link',
      'consent-token',
      'wallet-signature',
      'access-token',
      'mini-app-token',
      'identity-token',
    ];
    const lesser: Actor[] = [
      ...notSignIns.map((credential) => person({ credential })),
      person({ scopes: ['user:read'] }),
      person({ client }),
      person({ purpose: 'consent:1' }),
      { kind: 'client', client, credential: 'api-key' },
      { kind: 'anonymous' },
      { kind: 'admin', name: 'command line' },
      { kind: 'admin', name: 'Olga', keyId: 'key', sessionId: 'session' },
    ];
    for (const actor of lesser) await assert.rejects(open(actor), { code: 'SCOPE_NOT_ALLOWED' }, JSON.stringify(actor));
  });

  test('needs a sign-in of the last ten minutes, and a page of this server', async () => {
    const { presence: _none, ...unseen } = person({ credential: 'operator-token' });
    await assert.rejects(open(unseen), { code: 'PRESENCE_REQUIRED' });
    const at = new Date(t.services.clock().getTime() - 11 * 60 * 1000);
    await assert.rejects(open(person({ presence: { how: 'wallet', at } })), { code: 'PRESENCE_REQUIRED' });
    await assert.rejects(openConsoleSession(t.as(person())), { code: 'CLIENT_NOT_ALLOWED' });
  });

  test('with a malformed or unknown secret is refused', async () => {
    for (const secret of ['', 'x', 'A'.repeat(43), 'A'.repeat(4000), `${'A'.repeat(42)}'`])
      await assert.rejects(verify(secret), refused);
  });

  test('is deleted once it has expired', async () => {
    await open(person());
    t.advanceSeconds(13 * hour);
    await purgeExpiredCredentials(t.services);
    assert.deepEqual(await t.services.db.system.selectFrom('console_sessions').select('id').execute(), []);
  });
});
