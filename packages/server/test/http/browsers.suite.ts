import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contextFor, issueAccessToken, issueAeToken } from '@latchkey/core';
import { callingPages, originKinds } from '@latchkey/kernel';
import { consoleSession } from '../harness/console-session.ts';
import { liftPlanLimits } from '../harness/lift-plan-limits.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { readTable } from '../harness/read-manual.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../harness/test-server.ts';

const portal = 'https://docs.example';
const listed = 'https://listed.example';
const registered = 'https://registered.example';

const aliceId = 'DIS#USER#1';
/** Accepts every kind of credential, including one without scopes. */
const path = '/axie-infinity/rules';

type Headers = Record<string, string>;

describe('http: pages of other sites', () => {
  let server: TestServer;
  let callers: Record<string, Headers[]>;

  before(async () => {
    server = await startTestServer({ LATCHKEY_PORTAL_URL: `${portal}/latchkey/` });
    await liftPlanLimits(server);
    await appWith([registered]);
    callers = {
      anonymous: [{}, { 'x-api-key': 'nobody.has-this-key' }, { authorization: 'AE nonsense' }],
      'open-application': await credentialsOf(await appWith([])),
      'restricted-application': await credentialsOf(await appWith([listed])),
      person: [
        { authorization: await server.aeToken(aliceId) },
        { authorization: await server.aeToken(aliceId, ['user:read']) },
        { authorization: await server.bearer(aliceId, ['$all']) },
      ],
      operator: [{ 'x-api-key': server.adminKey }],
      console: [
        await consoleSession(server, { authorization: await server.aeToken(aliceId) }),
        await consoleSession(server, { 'x-api-key': server.adminKey }),
      ],
    };
  });
  after(() => server.close());

  async function appWith(allowedOrigins: string[]) {
    const app = await server.apiKey(['user:read']);
    const changed = await server.request('PUT', `/client-apps/${app.id}`, {
      headers: { 'x-api-key': server.adminKey },
      json: { status: 'APPROVED', name: 'n', allowedScopes: ['user:read'], allowedOrigins },
    });
    assert.equal(changed.status, 204, changed.text);
    return app;
  }

  /** Returns all credentials of an application. */
  async function credentialsOf({ id, key }: { id: string; key: string }): Promise<Headers[]> {
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    const holder = { kind: 'client' as const, clientId: id };
    const own = await issueAccessToken(operator, { holder, scopes: ['user:read'], ttlSeconds: 3600 });
    const person = { userId: aliceId, platform: 'discord', scopes: [], ttlSeconds: 3600 };
    const identity = await issueAeToken(operator, { ...person, credential: 'identity-token', clientId: id });
    return [
      { 'x-api-key': key },
      { authorization: `Bearer ${own.token}` },
      { authorization: await server.bearer(aliceId, ['user:read'], id) },
      { authorization: `AE ${identity}` },
      { 'x-api-key': key, authorization: await server.aeToken(aliceId) },
    ];
  }

  const originsOf = (kind: string): (string | undefined)[] =>
    ({
      none: [undefined],
      own: [server.url],
      portal: [portal],
      listed: [listed],
      registered: [registered],
      other: ['https://evil.example', 'null', `${portal}/`, 'http://docs.example', `${portal}.evil.example`, '%'],
    })[kind] ?? [];

  function assertReadable(answer: TestAnswer, what: string): void {
    assert.equal(answer.headers.get('access-control-allow-origin'), '*', what);
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /retry-after.*x-request-id/, what);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null, what);
  }

  // The manual is the expectation: its table is tested over HTTP, cell by cell.
  const kinds = Object.keys(originKinds);
  const rows = readTable('browsers.md', 'Who may call from where');
  for (const [caller = '', , ...rules] of rows) {
    for (const [column, rule] of rules.entries()) {
      const kind = kinds[column] ?? '';
      if (rule === 'never') continue;
      test(`from ${kind}: ${caller} is ${rule === 'yes' ? 'taken' : 'refused'}, and the page can read it`, async () => {
        const name = caller.replaceAll('`', '');
        const credentials = callers[name] ?? [];
        assert.ok(credentials.length > 0 && originsOf(kind).length > 0);
        for (const credential of credentials)
          for (const origin of originsOf(kind)) {
            const headers = { ...credential, ...(origin !== undefined && { origin }) };
            const answer = await server.request('GET', path, { headers });
            const what = `${Object.keys(credential)} from ${origin}: ${answer.text}`;
            const taken = name === 'anonymous' ? 401 : 200;
            assert.equal(answer.status, rule === 'yes' ? taken : 403, what);
            if (rule === 'no') assert.equal(answer.json.error.code, 'CLIENT_NOT_ALLOWED', what);
            assertReadable(answer, what);
          }
      });
    }
  }

  test('the manual has a row for every caller', () => {
    assert.deepEqual(
      rows.map(([caller]) => caller),
      Object.keys(callingPages).map((caller) => `\`${caller}\``),
    );
  });

  test('a page of this server may call under any name the browser knows it by', async () => {
    const { port } = new URL(server.url);
    const ask = (origin: string) =>
      sendRaw(server.url, {
        method: 'GET',
        target: path,
        headers: [
          ['host', `localhost:${port}`],
          ['origin', origin],
          ['authorization', callers.person?.[0]?.authorization ?? ''],
        ],
      });
    assert.equal((await ask(`http://localhost:${port}`)).status, 200);
    assert.equal((await ask('http://localhost:1')).status, 403);
  });

  test('every origin may send a preflight, and gets the same response', async () => {
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];
    for (const origin of [registered, portal, 'https://evil.example', 'null'])
      for (const target of ['/ethereum-login/challenges', '/states', '/oauth2/token', '/no/such/path'])
        for (const method of methods) {
          const headers = { origin, 'access-control-request-method': method };
          const answer = await server.request('OPTIONS', target, { headers });
          assert.equal(answer.status, 204);
          assert.equal(answer.headers.get('access-control-allow-origin'), '*');
          assert.equal(answer.headers.get('access-control-allow-credentials'), null);
          assert.ok(answer.headers.get('access-control-allow-methods')?.split(', ').includes(method));
          const allowed = answer.headers.get('access-control-allow-headers')?.split(', ') ?? [];
          for (const name of ['authorization', 'content-type', 'idempotency-key', 'x-api-key', 'x-near-signature'])
            assert.ok(allowed.includes(name), name);
        }
    const notAsked = await server.request('OPTIONS', '/states', { headers: { origin: portal } });
    assert.deepEqual([notAsked.status, notAsked.headers.get('allow')], [204, 'OPTIONS, POST']);
  });

  test('refusals of every sort can be read: unknown paths, bad input, too much of it, broken requests', async () => {
    const headers = { origin: 'https://evil.example', 'content-type': 'application/json' };
    const send = (method: string, target: string, body?: string) =>
      server.request(method, target, { headers, ...(body !== undefined && { body }) });
    const cases: [answer: TestAnswer, status: number][] = [
      [await send('GET', '/no/such/path'), 404],
      [await send('PUT', '/ping'), 405],
      [await send('GET', '/ping?wait=soon'), 400],
      [await send('GET', '/states/%zz'), 400],
      [await send('GET', `/states/${'x'.repeat(5_000)}`), 414],
      [await send('POST', '/ethereum-login/challenges', '{"a":'), 400],
      [await send('POST', '/ethereum-login/challenges', `{"a":"${'x'.repeat(1_100_000)}"}`), 413],
      [await send('POST', '/states', '{}'), 401],
    ];
    for (const [answer, status] of cases) {
      assert.equal(answer.status, status, answer.text);
      assertReadable(answer, answer.text);
    }
    const long: [string, string][] = [['x-long', 'a'.repeat(40_000)]];
    const tooLong = await sendRaw(server.url, { method: 'GET', target: '/ping', headers: long });
    assert.deepEqual([tooLong.status, tooLong.headers.get('access-control-allow-origin')], [431, '*']);
  });

  test('pages for people and the metrics of the operator cannot be read by other sites', async () => {
    for (const target of ['/connect/none', '/login/none', '/consent/none', '/account', '/console', '/metrics']) {
      const answer = await server.request('GET', target, { headers: { origin: registered } });
      assert.equal(answer.headers.get('access-control-allow-origin'), null, target);
    }
  });
});
