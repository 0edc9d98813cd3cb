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

  /** Asserts that a method is refused: with those that the path has, or because there is no such path. */
  function assertRefused(what: string, answer: RawAnswer, allow: string | undefined): void {
    const expected = allow === undefined ? [404, 'ROUTE_NOT_FOUND'] : [405, 'METHOD_NOT_ALLOWED'];
    assert.deepEqual([answer.status, codeOf(answer.body.toString())], expected, what);
    assert.equal(answer.headers.get('allow'), allow, what);
    assert.match(answer.headers.get('x-request-id') ?? '', /^[A-Za-z0-9]{21}$/, what);
    assert.deepEqual(problemsOf('POST', '', answer), [], what);
  }

  /** Returns the methods that OPTIONS names. */
  async function allowedAt(target: string): Promise<string | undefined> {
    const { status, headers, body } = await sendRaw(server.url, { method: 'OPTIONS', target, headers: [] });
    assert.deepEqual([status, status === 204 ? body.byteLength : 0], [headers.has('allow') ? 204 : 404, 0], target);
    return headers.get('allow');
  }

  for (const target of kinds) {
    test(`an unknown method is refused at ${target}, with the methods that OPTIONS names`, async () => {
      const allow = await allowedAt(target);
      if (target.startsWith('/nowhere')) assert.equal(allow, undefined);
      for (const method of unused)
        for (const extra of [{ headers: [] }, withTypeOnly, withBody, withBytesOnly]) {
          const answer = await sendRaw(server.url, { method, target, ...extra });
          // CONNECT names no path of this server.
          assertRefused(`${method} ${target}`, answer, method === 'CONNECT' ? undefined : allow);
        }
    });
  }

  test('every path answers OPTIONS with its methods, and every other method with 405', async () => {
    const byPath = Map.groupBy(served, ({ path }) => path.replace(/\{\w+\}/g, 'sample'));
    assert.ok(byPath.size > 150);
    for (const [target, operations] of byPath) {
      const allow = (await allowedAt(target))?.split(', ') ?? [];
      const declared = operations.map(({ method }) => method);
      assert.deepEqual(
        declared.filter((method) => !allow.includes(method)),
        [],
        target,
      );
      const acts = operations.some(({ method, contract }) => method === 'GET' && contract.changes === true);
      if (acts) assert.ok(!allow.includes('HEAD'), `HEAD ${target} would do what GET does`);
      assertRefused(target, await sendRaw(server.url, { method: 'QUERY', target, headers: [] }), allow.join(', '));
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'].filter((one) => !allow.includes(one))) {
        const { status, headers } = await sendRaw(server.url, { method, target, headers: [] });
        assert.deepEqual([status, headers.get('allow')], [405, allow.join(', ')], `${method} ${target}`);
      }
    }
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
