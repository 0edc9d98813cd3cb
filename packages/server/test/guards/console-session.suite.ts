import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdminKey, revokeAdminKey } from '@latchkey/core';
import { onConsole } from '../harness/console-session.ts';
import type { TestServer } from '../harness/test-server.ts';

type Headers = Record<string, string>;

/** The console session over HTTP: who gets the cookie, and when it counts. */
export function consoleSessionSuite(running: () => TestServer, newPerson: () => string): void {
  const call = (method: string, headers: Headers, path = '/latchkey/session') =>
    running().request(method, path, { headers });

  /** Signs a browser in; returns the header that it sends from then on. */
  async function signIn(credential: Headers): Promise<Headers> {
    const answer = await call('POST', { ...credential, ...onConsole });
    assert.equal(answer.status, 200, answer.text);
    const [cookie = ''] = answer.headers.getSetCookie();
    assert.match(cookie, /^latchkey-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/);
    return { cookie: cookie.split(';')[0] ?? '' };
  }
  const signInAs = async (userId: string) => signIn({ authorization: await running().aeToken(userId) });
  /** Stores a wallet of a user; linking is tested elsewhere. */
  async function linkedWallet(userId: string): Promise<string> {
    const { db, clock, random } = running().services;
    const [id, address] = [random.id(), `0x${Buffer.from(random.bytes(20)).toString('hex')}`];
    await db.pool.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at, scopes, signs_in_since)
       values ($1, $2, 'discord', 'evm', $3, $4, '{$all}', $4)`,
      [id, userId, address, clock()],
    );
    return id;
  }
  const meOf = async (headers: Headers) => (await call('GET', headers, '/account/me')).status;

  test('a user signs a browser in, acts with its cookie, is identified, and logs out', async () => {
    const userId = newPerson();
    const browser = { ...(await signInAs(userId)), ...onConsole };
    assert.equal(await meOf(browser), 200);
    const who = (await call('GET', browser)).json;
    assert.deepEqual([who.accountId, who.platform, who.isOperator], [userId, 'discord', false]);
    assert.equal(who.presence.how, 'wallet');
    const ms = (time: string) => new Date(time).getTime();
    assert.equal(ms(who.presence.untilTime) - ms(who.presence.time), 600_000);
    assert.ok(ms(who.expiresTime) < ms(who.latestTime));
    const out = await call('DELETE', browser);
    assert.equal(out.status, 204);
    assert.match(out.headers.getSetCookie()[0] ?? '', /^latchkey-session=; .*Max-Age=0$/);
    const over = await call('GET', browser);
    assert.deepEqual([over.status, over.json.error.code], [401, 'INVALID_CREDENTIAL']);
    assert.match(over.headers.getSetCookie()[0] ?? '', /Max-Age=0$/);
  });

  test('the cookie counts only with the console’s header, and on pages of this server', async () => {
    const cookie = await signInAs(newPerson());
    assert.equal(await meOf(cookie), 401);
    assert.equal(await meOf({ ...cookie, 'x-latchkey-console': 'yes' }), 401);
    const browser = { ...cookie, ...onConsole };
    assert.equal(await meOf({ ...browser, origin: running().url, 'sec-fetch-site': 'same-origin' }), 200);
    const pagesElsewhere: Headers[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: running().url },
    ];
    for (const elsewhere of pagesElsewhere) {
      const answer = await call('GET', { ...browser, ...elsewhere }, '/account/me');
      assert.deepEqual([answer.status, answer.json.error.code], [403, 'CLIENT_NOT_ALLOWED']);
    }
  });

  test('no page of another origin may send the console’s header', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await call('OPTIONS', headers);
    assert.doesNotMatch(answer.headers.get('access-control-allow-headers') ?? '', /x-latchkey-console/);
  });

  test('a page of another site cannot sign a browser in, not even with a valid session', async () => {
    const authorization = await running().aeToken(newPerson());
    const pages: Headers[] = [{}, { ...onConsole, 'sec-fetch-site': 'cross-site' }];
    for (const headers of pages) {
      const answer = await call('POST', { authorization, ...headers });
      assert.deepEqual([answer.status, answer.json.error.code], [403, 'CLIENT_NOT_ALLOWED']);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
  });

  test('another credential takes precedence over the cookie', async () => {
    const browser = { ...(await signInAs(newPerson())), ...onConsole };
    const other = newPerson();
    const who = await call('GET', { ...browser, authorization: await running().aeToken(other) });
    assert.equal(who.json.accountId, other);
    assert.equal(await meOf({ ...browser, authorization: 'AE nonsense' }), 401);
  });

  test('application tokens and limited tokens cannot sign a browser in, and neither can the cookie itself', async () => {
    const [userId, app] = [newPerson(), await running().apiKey(['$all'])];
    const full = await running().aeToken(userId);
    const lesser: Headers[] = [
      { authorization: await running().bearer(userId, ['$all'], app.id) },
      { authorization: await running().aeToken(userId, ['user:read', 'user:wallet:write']) },
      { authorization: full, 'x-api-key': app.key },
      { 'x-api-key': app.key },
      await signInAs(userId),
    ];
    for (const headers of lesser) {
      const answer = await call('POST', { ...headers, ...onConsole });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    const byOperator = await call('POST', { authorization: await running().bearer(userId, ['$all']), ...onConsole });
    assert.deepEqual([byOperator.status, byOperator.json.error.code], [403, 'PRESENCE_REQUIRED']);
  });

  test('a person sees the browsers that are signed in, and ends one, or all', async () => {
    const userId = newPerson();
    const browsers = [await signInAs(userId), await signInAs(userId), await signInAs(userId)].map((cookie) => ({
      ...cookie,
      ...onConsole,
    }));
    const [first = {}, second = {}, third = {}] = browsers;
    const path = '/latchkey/account/sessions';
    const listed: { id: string; kind: string; isCurrent: boolean }[] = (await call('GET', first, path)).json;
    const ofConsole = listed.filter(({ kind }) => kind === 'console-session');
    assert.deepEqual(ofConsole.map(({ isCurrent }) => isCurrent).sort(), [false, false, true]);
    const stranger = { ...(await signInAs(newPerson())), ...onConsole };
    const other = ofConsole.find(({ isCurrent }) => !isCurrent)?.id;
    assert.equal((await call('DELETE', stranger, `${path}/${other}`)).status, 404);
    assert.equal((await call('DELETE', first, `${path}/${other}`)).status, 204);
    assert.deepEqual([await meOf(second), await meOf(third)].sort(), [200, 401]);
    assert.equal((await call('DELETE', first, path)).status, 204);
    for (const browser of browsers) assert.equal(await meOf(browser), 401);
    assert.equal(await meOf(stranger), 200);
  });

  test('removing a wallet signs out the other browsers it had signed in', async () => {
    const userId = newPerson();
    const [mine, other] = [await signInAs(userId), await signInAs(userId)].map((cookie) => ({
      ...cookie,
      ...onConsole,
    }));
    const id = await linkedWallet(userId);
    const path = `/latchkey/account/wallets/${id}/sign-in`;
    assert.equal((await call('DELETE', mine ?? {}, path)).status, 200);
    assert.deepEqual([await meOf(mine ?? {}), await meOf(other ?? {})], [200, 401]);
  });

  test('the operator signs a browser in with their key, and the session ends with the key', async () => {
    const { id, key } = await createAdminKey(running().services, 'console');
    const browser = { ...(await signIn({ 'x-api-key': key })), ...onConsole };
    const who = (await call('GET', browser)).json;
    assert.deepEqual([who.isOperator, who.name, who.accountId], [true, 'console', undefined]);
    assert.equal((await call('GET', browser, '/latchkey/audit-log')).status, 200);
    await revokeAdminKey(running().services, id);
    assert.equal((await call('GET', browser, '/latchkey/audit-log')).status, 401);
  });

  test('the console is served at each of its URLs, without any token in it', async () => {
    for (const path of ['/console', '/console/', '/console/communities/1/role-changes/2?x=%3Cscript%3E']) {
      const { status, text, headers } = await call('GET', { origin: 'https://evil.example' }, path);
      assert.equal(status, 200, path);
      const [, json = '{}'] = /id="page-data">(.*?)<\/script>/.exec(text) ?? [];
      const { build, ...data } = JSON.parse(json);
      assert.deepEqual(data, { page: 'console', server: 'Latchkey', methods: ['wallet', 'passkey'] });
      // A tab compares its own build with the one in responses.
      assert.match(build, /^\/console\/assets\/console-.+\.js$/);
      assert.equal((await call('GET', onConsole)).headers.get('x-latchkey-build'), build);
      assert.equal((await call('GET', {})).headers.get('x-latchkey-build'), null);
      assert.equal(headers.get('access-control-allow-origin'), null);
      assert.match(headers.get('content-security-policy') ?? '', /require-trusted-types-for 'script'/);
    }
    assert.equal((await call('GET', {}, '/console/assets/none.js')).status, 404);
    assert.equal((await call('GET', {}, '/console/assets/a/b')).status, 404);
  });
}
