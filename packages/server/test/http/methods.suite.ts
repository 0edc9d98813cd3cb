import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { problemsOf } from '../harness/check-answer.ts';
import { codeOf } from '../harness/error-shape.ts';
import { type RawAnswer, sendRaw } from '../harness/raw-http.ts';
import { served } from '../harness/served.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** The methods that some path here supports. */
const used = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Those that no path supports: the ones Node knows, new ones it does not, and one that requests a tunnel. */
const unused = [...METHODS.filter((method) => !used.includes(method)), 'FETCH', 'BREW', 'get', 'VERSION-CONTROL'];

/** One path of each kind, whatever serves it. */
const kinds = [
  '/',
  '/scopes',
  '/scopes/user:read',
  '/communities/DIS%23COMM%231/tpcs/TPC%231',
  '/latchkey/communities/1/change-sets/1/approve',
  '/ping?wait=0',
  '/openapi.json',
  '/health/live',
  '/metrics',
  '/account',
  '/connect',
  '/login/slug',
  '/oauth2/token',
  '/oauth2/authorize?client_id=x',
  '/oauth2/authorize/uid',
  '/oauth2/userinfo',
  '/.well-known/openid-configuration',
  '/assets/none.js',
  '/discord/interactions',
  '/nowhere',
  '/nowhere/at/all/',
  '*',
];

const withBody = { headers: [['content-type', 'application/json']] as const, body: Buffer.from('{"a":1}') };
const withTypeOnly = { headers: [['content-type', 'application/json']] as const };
const withBytesOnly = { headers: [], body: Buffer.from('{"a":1}') };

describe('http: methods', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  function assertNotThere(what: string, answer: RawAnswer): void {
    assert.deepEqual([answer.status, codeOf(answer.body.toString())], [404, 'ROUTE_NOT_FOUND'], what);
    assert.deepEqual(problemsOf('POST', '', answer), [], what);
  }

  for (const target of kinds) {
    test(`an unknown method gets 404 at ${target}`, async () => {
      for (const method of unused)
        for (const extra of [{ headers: [] }, withTypeOnly, withBody, withBytesOnly])
          assertNotThere(`${method} ${target}`, await sendRaw(server.url, { method, target, ...extra }));
    });
  }

  test('QUERY gets 404 at the path of every operation', async () => {
    const paths = [...new Set(served.map(({ path }) => path.replace(/\{\w+\}/g, 'sample')))];
    assert.ok(paths.length > 150);
    for (const target of paths)
      assertNotThere(target, await sendRaw(server.url, { method: 'QUERY', target, headers: [] }));
  });

  test('a method that other paths have gets a well-formed error, on any path', async () => {
    for (const target of kinds.filter((path) => !path.startsWith('/oauth2/')))
      for (const method of used) {
        const answer = await sendRaw(server.url, { method, target, headers: [] });
        assert.ok(answer.status < 500 || answer.status === 503, `${method} ${target}: ${answer.status}`);
        const isForPeople = answer.headers.get('content-type')?.startsWith('text/html') && method === 'GET';
        if (method !== 'HEAD' && answer.status >= 400 && !isForPeople)
          assert.deepEqual(problemsOf('POST', '', answer), [], `${method} ${target}`);
      }
  });

  test('none of them leaves an error in the log', () => {
    assert.deepEqual(
      server.logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
      [],
    );
  });
});
