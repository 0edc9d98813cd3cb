import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { isOwnOperation, type Operation } from '@latchkey/kernel';
import { codeOf } from '../harness/error-shape.ts';
import { liftPlanLimits } from '../harness/lift-plan-limits.ts';
import { type RawAnswer, sendRaw } from '../harness/raw-http.ts';
import { isMounted, isOpen, needsNoCredential, served } from '../harness/served.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const problemType = 'application/problem+json';

const pathOf = ({ path }: Operation) => path.replace(/\{\w+\}/g, 'sample');

describe('http: standards', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    await liftPlanLimits(server);
  });
  after(() => server.close());

  const send = (
    { method, path }: { method: string; path: string },
    headers: Record<string, string>,
    body?: string,
  ): Promise<RawAnswer> =>
    sendRaw(server.url, {
      method,
      target: path,
      headers: Object.entries(headers),
      ...(body !== undefined && { body: Buffer.from(body) }),
    });

  for (const path of ['/openapi.json', '/openapi.json?all=true', '/latchkey/openapi.json']) {
    const get = (headers: Record<string, string> = {}) => send({ method: 'GET', path }, headers);

    test(`${path} is compressed on request, and every form has the same content and its own entity tag`, async () => {
      const plain = await get();
      const [brotli, zipped] = [await get({ 'accept-encoding': 'gzip, br' }), await get({ 'accept-encoding': 'gzip' })];
      assert.deepEqual(
        [plain, brotli, zipped].map(({ headers }) => headers.get('content-encoding')),
        [undefined, 'br', 'gzip'],
      );
      assert.ok(brotliDecompressSync(brotli.body).equals(plain.body));
      assert.ok(gunzipSync(zipped.body).equals(plain.body));
      assert.ok(brotli.body.byteLength < plain.body.byteLength / 5);
      const tags = [plain, brotli, zipped].map(({ headers }) => headers.get('etag') ?? '');
      assert.equal(new Set(tags).size, 3);
      for (const tag of tags) assert.match(tag, /^"[\w-]+"$/, 'a strong tag');
      for (const { headers } of [plain, brotli]) assert.match(headers.get('vary') ?? '', /accept-encoding/i);
    });

    test(`${path} is not sent again to a client that has it`, async () => {
      const tag = (await get()).headers.get('etag') ?? '';
      for (const known of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
        const { status, headers, body } = await get({ 'if-none-match': known });
        assert.deepEqual([status, body.byteLength, headers.get('etag')], [304, 0, tag], known);
      }
      for (const other of ['"other"', tag.slice(1, -1)])
        assert.equal((await get({ 'if-none-match': other })).status, 200, other);
      // The tag of another form names other bytes.
      assert.equal((await get({ 'if-none-match': tag, 'accept-encoding': 'br' })).status, 200);
    });
  }

  test('the part of the description is true, false, or refused', async () => {
    const { status, json } = await server.request('GET', '/openapi.json?all=everything');
    assert.deepEqual([status, json.error.code], [400, 'INVALID_PARAMETER_VALUE']);
  });

  test('clients that prefer problem details get them for every operation, and all others the usual shape', async () => {
    const closed = served.filter((one) => !isOpen(one) && !needsNoCredential(one) && !isMounted(one));
    assert.ok(closed.length > 200);
    for (const operation of closed) {
      const request = { method: operation.method, path: pathOf(operation) };
      const preferred = await send(request, { accept: `${problemType}, application/json;q=0.5` });
      const usual = await send(request, { accept: `application/json, ${problemType}, */*` });
      assert.equal(preferred.headers.get('content-type'), `${problemType}; charset=utf-8`, operation.route);
      assert.equal(usual.headers.get('content-type'), 'application/json; charset=utf-8', operation.route);
      for (const { headers } of [preferred, usual])
        assert.match(headers.get('vary') ?? '', /(^|, )accept(,|$)/, operation.route);
      const { error } = JSON.parse(usual.body.toString());
      assert.deepEqual(
        JSON.parse(preferred.body.toString()),
        {
          type: 'about:blank',
          title: 'Unauthorized',
          status: error.statusCode,
          detail: error.message,
          code: error.code,
          requestId: preferred.headers.get('x-request-id'),
        },
        operation.route,
      );
    }
  });

  test('problem details also come for unknown paths and malformed URLs, and name invalid fields', async () => {
    for (const path of ['/nowhere', '/states/%zz']) {
      const { headers, body, status } = await send({ method: 'GET', path }, { accept: problemType });
      assert.equal(headers.get('content-type'), `${problemType}; charset=utf-8`, path);
      assert.match(headers.get('vary') ?? '', /(^|, )accept(,|$)/, path);
      assert.equal(JSON.parse(body.toString()).status, status);
    }
    const authorization = await server.aeToken('DIS#USER#1');
    const headers = { authorization, accept: problemType, 'content-type': 'application/json' };
    const { body } = await send({ method: 'POST', path: '/dev-orgs' }, headers, '{}');
    assert.equal(JSON.parse(body.toString()).details[0].code, 'required');
  });

  test('our own operations refuse to answer in a type that the client does not accept; published ones answer', async () => {
    const headers = { 'x-api-key': server.adminKey };
    const ask = (path: string, accept: string) => send({ method: 'GET', path }, { ...headers, accept });
    const own = '/latchkey/operator/jobs/dead';
    assert.ok(served.some((one) => one.method === 'GET' && one.path === own && isOwnOperation(one)));
    for (const accept of ['text/html', 'application/json;q=0', 'image/*']) {
      const { status, body } = await ask(own, accept);
      assert.deepEqual([status, codeOf(body.toString())], [406, 'NOT_ACCEPTABLE'], accept);
    }
    for (const accept of ['application/json', '*/*', 'application/*;q=0.1', 'text/html, */*;q=0.1'])
      assert.equal((await ask(own, accept)).status, 200, accept);
    assert.equal((await ask('/log/settings', 'text/html')).status, 200);
  });

  test('a compressed body and one in another charset are refused wherever a body is read', async () => {
    const headers = { 'x-api-key': server.adminKey, 'content-type': 'application/json' };
    const user = { authorization: await server.aeToken('DIS#USER#1'), 'content-type': 'application/json' };
    const withJson = served.filter((one) => one.body?.kind === 'json' && !isMounted(one));
    assert.ok(withJson.length > 80);
    for (const operation of withJson) {
      const request = { method: operation.method, path: pathOf(operation) };
      for (const caller of [headers, user]) {
        const coded = await send(request, { ...caller, 'content-encoding': 'gzip' }, '{}');
        if (coded.status === 403 || coded.status === 401) continue;
        assert.deepEqual([coded.status, coded.headers.get('accept-encoding')], [415, 'identity'], operation.route);
        const wide = await send(request, { ...caller, 'content-type': 'application/json; charset=utf-16' }, '{}');
        // Parameters are read before the body.
        assert.ok(wide.status === 415 || wide.status === 400, `${operation.route}: ${wide.status}`);
      }
    }
    for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"']) {
      const { status } = await send({ method: 'POST', path: '/dev-orgs' }, { ...user, 'content-type': type }, '{}');
      assert.equal(status, 422, type);
    }
  });

  test('responses name every limit of the caller and what is left of the tightest', async () => {
    const { key } = await server.apiKey(['$all']);
    const callers = {
      address: {},
      user: { authorization: await server.aeToken('DIS#USER#1') },
      plan: { 'x-api-key': key },
    };
    for (const [name, headers] of Object.entries(callers)) {
      const answer = await server.request('GET', '/account/me', { headers });
      const policy = answer.headers.get('ratelimit-policy') ?? '';
      const left = answer.headers.get('ratelimit') ?? '';
      assert.match(policy, /^"[\x20-\x7e]+";q=\d+;w=\d+(, "[\x20-\x7e]+";q=\d+;w=\d+)*$/, name);
      const [, tightest = '', remaining] = /^("[\x20-\x7e]+");r=(\d+);t=\d+$/.exec(left) ?? [];
      assert.ok(policy.includes(`${tightest};q=${answer.headers.get('x-ratelimit-limit')};`), `${policy} ${left}`);
      assert.equal(remaining, answer.headers.get('x-ratelimit-remaining'), name);
    }
  });

  test('a deprecated operation works and says what to call instead', async () => {
    const path = '/webauthn/authentication/options';
    const headersOf = async (method: string, json?: object) => {
      const { status, headers } = await server.request(method, path, json === undefined ? {} : { json });
      return [status < 500, headers.get('deprecation'), headers.get('sunset'), headers.get('link')];
    };
    const successor = `<${path}>; rel="successor-version"`;
    assert.deepEqual(await headersOf('GET'), [true, '@1795046400', null, successor]);
    assert.deepEqual(await headersOf('POST', {}), [true, null, null, null]);
  });
});
