import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const portal = 'https://docs.example';

describe('the console of the portal', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ LATCHKEY_PORTAL_URL: `${portal}/latchkey/` });
  });

  after(() => server.close());

  const preflight = (origin: string) =>
    server.request('OPTIONS', '/states', { headers: { origin, 'access-control-request-method': 'POST' } });
  const post = (headers: Record<string, string>) => server.request('POST', '/states', { headers, json: { a: 1 } });

  test('its origin may ask, and read the answer to a key of any application', async () => {
    const asked = await preflight(portal);
    assert.equal(asked.headers.get('access-control-allow-origin'), portal);
    assert.match(asked.headers.get('access-control-allow-headers') ?? '', /x-api-key/);
    const { key } = await server.apiKey(['state:create']);
    const answer = await post({ 'x-api-key': key, origin: portal });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), portal);
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /x-request-id/);
  });

  test('it reads refusals too', async () => {
    const refused = await post({ 'x-api-key': 'nobody-has-this-key', origin: portal });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('access-control-allow-origin'), portal);
    assert.equal(refused.headers.get('vary'), 'origin');
    const lost = await server.request('GET', '/no/such/path', { headers: { origin: portal } });
    assert.deepEqual([lost.status, lost.headers.get('access-control-allow-origin')], [404, portal]);
  });

  test('no cookie goes along', async () => {
    const { headers } = await preflight(portal);
    assert.equal(headers.get('access-control-allow-credentials'), null);
  });

  test('only that very origin is let in', async () => {
    for (const origin of [
      'http://docs.example',
      'https://docs.example:8443',
      'https://docs.example.evil.example',
      'https://evil.docs.example',
      `${portal}/`,
      'null',
    ]) {
      assert.equal((await preflight(origin)).headers.get('access-control-allow-origin'), null, origin);
      assert.equal((await post({ origin })).headers.get('access-control-allow-origin'), null, origin);
    }
  });

  test('an application that lists origins still takes calls from those alone', async () => {
    const { id, key } = await server.apiKey(['state:create']);
    const changed = await server.request('PUT', `/client-apps/${id}`, {
      headers: { 'x-api-key': server.adminKey },
      json: { status: 'APPROVED', name: 'n', allowedScopes: ['state:create'], allowedOrigins: ['https://app.example'] },
    });
    assert.equal(changed.status, 204);
    const refused = await post({ 'x-api-key': key, origin: portal });
    assert.deepEqual([refused.status, refused.json.error.code], [403, 'CLIENT_NOT_ALLOWED']);
    assert.equal(refused.headers.get('access-control-allow-origin'), portal);
  });
});
