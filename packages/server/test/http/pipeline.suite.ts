import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { errorCodes } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('http: pipeline', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  /** Sends exactly these bytes and returns the response. */
  function raw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(bytes));
      socket.setEncoding('utf8');
      let answer = '';
      let failure: Error | undefined;
      socket.setTimeout(180_000, () => socket.destroy(new Error('no answer')));
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      // A server may respond and close before it has read everything: only the response counts.
      socket.on('error', (error) => {
        failure = error;
      });
      socket.on('close', () => (answer === '' && failure !== undefined ? reject(failure) : resolve(answer)));
    });
  }

  test('every response has the security headers and a request id', async () => {
    for (const path of ['/ping', '/nowhere', '/client-apps']) {
      const { headers } = await server.request('GET', path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/);
      assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9]{21}$/);
    }
  });

  test('a caller’s request id is kept if it is safe', async () => {
    const kept = await server.request('GET', '/ping', { headers: { 'x-request-id': 'abc-12345_X' } });
    assert.equal(kept.headers.get('x-request-id'), 'abc-12345_X');
    const replaced = await server.request('GET', '/ping', { headers: { 'x-request-id': '<script>alert(1)</script>' } });
    assert.match(replaced.headers.get('x-request-id') ?? '', /^[A-Za-z0-9]{21}$/);
  });

  test('calls of an application are in its log with their request ids, refused ones with the reason, and nothing else', async () => {
    const owner = 'DIS#USER#7001';
    const { id, key } = await server.apiKey(['token-gating'], owner);
    const headers = { 'x-api-key': key };
    const fine = await server.request('GET', '/dev-orgs/plans?secret=in-the-query', { headers });
    const refused = await server.request('GET', '/communities/of-nobody', { headers });
    const authorization = await server.aeToken(owner);
    const list = () => server.request('GET', `/latchkey/client-apps/${id}/calls`, { headers: { authorization } });
    await until('both calls are written', async () => (await list()).json.items.length === 2);
    const { json, text } = await list();
    const idOf = ({ headers: sent }: { headers: Headers }) => sent.get('x-request-id');
    assert.deepEqual(
      json.items.map(({ requestId, route, status, errorCode }: Record<string, unknown>) => [
        requestId,
        route,
        status,
        errorCode,
      ]),
      [
        [idOf(refused), '/communities/{id}', refused.status, refused.json.error.code],
        [idOf(fine), '/dev-orgs/plans', fine.status, fine.json.error?.code],
      ],
    );
    assert.ok(!text.includes(key) && !text.includes('in-the-query') && !text.includes('of-nobody'));
    const usage = await server.request('GET', `/latchkey/client-apps/${id}/usage`, { headers: { authorization } });
    assert.equal(usage.json.days[0].calls, 2);
    assert.ok(usage.json.keyLastUsedAt);
    const strange = { authorization: await server.aeToken('DIS#USER#7002') };
    assert.equal((await server.request('GET', `/latchkey/client-apps/${id}/calls`, { headers: strange })).status, 404);
  });

  test('an unknown path returns 404, and a method that a path does not have 405 with those it has', async () => {
    for (const [method, path, code, allow] of [
      ['GET', '/nowhere', 'ROUTE_NOT_FOUND', null],
      ['PUT', '/ping', 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS'],
      ['PUT', '/oauth2/token', 'METHOD_NOT_ALLOWED', 'OPTIONS, POST'],
    ] as const) {
      const { status, headers, json } = await server.request(method, path);
      assert.equal(status, errorCodes[code].status);
      assert.deepEqual(Object.keys(json.error).sort(), ['code', 'message', 'name', 'statusCode']);
      assert.deepEqual([json.error.code, headers.get('allow')], [code, allow]);
    }
  });

  test('a credential that is sent in both headers counts once, and one that is false in both is refused', async () => {
    const { key } = await server.apiKey(['$all']);
    const token = await server.aeToken('DIS#USER#7003');
    const post = (both: string) =>
      server.request('POST', '/states', { headers: { 'x-api-key': both, authorization: both }, json: { a: 1 } });
    for (const both of [key, token]) assert.equal((await post(both)).status, 200);
    for (const both of [`${key}x`, `${token}x`, 'AE', 'Bearer x']) assert.equal((await post(both)).status, 401, both);
    const apart = { 'x-api-key': key, authorization: `${key}x` };
    assert.equal((await server.request('POST', '/states', { headers: apart, json: { a: 1 } })).status, 401);
  });

  test('an authorization request may be sent as a form, and continues as a URL', async () => {
    const post = (type: string, body: string) =>
      server.request('POST', '/oauth2/authorize', { headers: { 'content-type': type }, body });
    const form = 'application/x-www-form-urlencoded';
    const { status, headers } = await post(form, 'client_id=x&state=a+b%26c');
    assert.deepEqual(
      [status, headers.get('location')],
      [303, `${server.url}/oauth2/authorize?client_id=x&state=a+b%26c`],
    );
    for (const [type, body, expected] of [
      ['application/json', '{}', 415],
      [form, `state=${'x'.repeat(9_000)}`, 413],
    ] as const) {
      const refused = await post(type, body);
      assert.deepEqual([refused.status, refused.json.error], [expected, 'invalid_request']);
    }
  });

  test('a body that is too large, of the wrong type or broken is refused with its own code', async () => {
    const headers = { 'x-api-key': (await server.apiKey(['state:create'])).key };
    const large = await server.request('POST', '/states', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: `{"a":"${'x'.repeat(1_100_000)}"}`,
    });
    assert.deepEqual([large.status, large.json.error.code], [413, 'BODY_TOO_LARGE']);
    const typed = await server.request('POST', '/states', {
      headers: { ...headers, 'content-type': 'text/plain' },
      body: '{}',
    });
    assert.deepEqual([typed.status, typed.json.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE']);
    const broken = await server.request('POST', '/states', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"a":',
    });
    assert.deepEqual([broken.status, broken.json.error.code], [400, 'INVALID_BODY']);
    const latin = await server.request('POST', '/states', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    });
    assert.deepEqual([latin.status, latin.json.error.code], [400, 'INVALID_BODY']);
  });

  test('an unauthenticated caller is refused before the body is read', async () => {
    const answer = await raw(
      'POST /client-apps HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\nConnection: close\r\n\r\n{"a":',
    );
    assert.match(answer, /^HTTP\/1\.1 401 /);
  });

  test('an unexpected body truncates no response, even on a closing connection', async () => {
    const body = 'x'.repeat(1_000_000);
    const head = `GET /openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${body.length}`;
    for (let time = 0; time < 5; time += 1) {
      const answer = await raw(`${head}\r\n\r\n${body}`);
      const [headers = '', ...rest] = answer.split('\r\n\r\n');
      const announced = Number(/content-length: (\d+)/.exec(headers)?.[1]);
      assert.equal(Buffer.byteLength(rest.join('\r\n\r\n')), announced);
    }
    const broken = await raw(`${head}\r\n\r\nless than was announced`);
    assert.match(broken, /^HTTP\/1\.1 200 /, 'the server does not wait for a client that sends less than announced');
  });

  test('every response has a request id, even to what is no request', async () => {
    const start = 'HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
    for (const bytes of [
      'NONSENSE\r\n\r\n',
      `GET /ping ${start}X-Long: ${'a'.repeat(40_000)}\r\n\r\n`,
      `GET /states/%ff ${start}\r\n`,
      `GET /states/%zz ${start}\r\n`,
      `GET /${'x'.repeat(5_000)} ${start}\r\n`,
      `BREW /ping ${start}\r\n`,
      `PROPFIND /nowhere ${start}\r\n`,
      `OPTIONS * ${start}\r\n`,
      'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n',
      'GET /ping HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /ping HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    ]) {
      const [head = ''] = (await raw(bytes)).split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 [245]\d\d \w/, bytes.slice(0, 40));
      assert.match(head, /\r\nx-request-id: [A-Za-z0-9]{21}(\r\n|$)/i, bytes.slice(0, 40));
    }
  });

  test('malformed HTTP gets the error shape', async () => {
    assert.match(await raw('NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_BODY"/);
    const long = await raw(`GET /ping HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`);
    assert.match(long, /^HTTP\/1\.1 431 [\s\S]*"code":"HEADERS_TOO_LARGE"/);
  });

  test('an invalid body names the location in the format existing clients read', async () => {
    const authorization = await server.aeToken('DIS#USER#1');
    const { status, json } = await server.request('POST', '/dev-orgs', {
      headers: { authorization },
      json: { email: 'a@example.org' },
    });
    assert.equal(status, 422);
    assert.equal(json.error.name, 'UnprocessableEntityError');
    assert.deepEqual(json.error.details, [
      { path: '', code: 'required', message: "must have required property 'name'", info: { missingProperty: 'name' } },
    ]);
  });

  test('a published operation ignores unknown fields and lists them in its warnings', async () => {
    const headers = { authorization: await server.aeToken('DIS#USER#7002') };
    const sent = { name: 'Acme', email: 'a@example.org', emial: 'b@example.org', naïve: true };
    const answer = await server.request('POST', '/dev-orgs', { headers, json: sent });
    assert.equal(answer.status, 200, answer.text);
    const warnings = ['Unknown field "emial".', 'Unknown field "naïve".'];
    assert.deepEqual(answer.json.warnings, warnings);
    assert.deepEqual(JSON.parse(answer.headers.get('latchkey-warnings') ?? ''), warnings);
    const { emial: _misspelled, naïve: _unknown, ...known } = sent;
    const clean = await server.request('POST', '/dev-orgs', { headers, json: { ...known, name: 'Acme 2' } });
    assert.deepEqual([clean.json.warnings, clean.headers.get('latchkey-warnings')], [undefined, null]);
  });

  test('an own operation refuses unknown fields, names them and does nothing', async () => {
    const headers = { 'x-api-key': server.adminKey };
    const { status, json } = await server.request('POST', '/latchkey/operator/jobs/retry', {
      headers,
      json: { nane: 'no-such-job' },
    });
    assert.deepEqual([status, json.error.code], [422, 'VALIDATION_FAILED']);
    assert.equal(json.error.message, 'Unknown field "nane". Did you mean "name"?');
  });

  test('an invalid parameter is a 400 that names it', async () => {
    const { status, json } = await server.request('GET', '/ping?wait=soon');
    assert.equal(status, 400);
    assert.equal(json.error.code, 'INVALID_PARAMETER_VALUE');
    assert.match(json.error.message, /wait/);
    assert.equal((await server.request('GET', '/states/%00')).json.error.code, 'INVALID_PARAMETER_VALUE');
    assert.equal((await server.request('GET', '/states/%zz')).json.error.code, 'INVALID_PARAMETER_VALUE');
  });

  test('health is public, metrics are for the operator', async () => {
    assert.equal((await server.request('GET', '/health/live')).status, 200);
    assert.equal((await server.request('GET', '/health/ready')).status, 200);
    assert.equal((await server.request('GET', '/metrics')).status, 401);
    const { key } = await server.apiKey(['$all']);
    assert.equal((await server.request('GET', '/metrics', { headers: { 'x-api-key': key } })).status, 403);
    const metrics = await server.request('GET', '/metrics', {
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    assert.match(metrics.text, /latchkey_http_requests_total\{method="GET",route="\/health\/live",status="200"\} 1/);
    assert.match(metrics.text, /latchkey_jobs\{state="ready"\} \d/);
    assert.match(metrics.text, /latchkey_change_sets\{status="held"\} \d/);
    assert.match(metrics.text, /latchkey_http_refusals_total\{code="AUTHENTICATION_REQUIRED"\} [1-9]/);
    assert.match(metrics.text, /^latchkey_database_up 1$/m);
    assert.match(metrics.text, /latchkey_processes\{kind="server"\} \d/);
  });

  test('a request for another host name is refused before anything else, except probes', async () => {
    const ask = (path: string, host: string) =>
      raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const refused = await ask('/ping', 'evil.example');
    assert.match(refused, /^HTTP\/1\.1 400 /);
    assert.match(refused, /"code":"INVALID_PARAMETER_VALUE"/);
    for (const path of ['/', '/openapi.json', '/connect', '/oauth2/authorize', '/nowhere'])
      assert.match(await ask(path, 'evil.example'), /^HTTP\/1\.1 400 /, path);
    for (const path of ['/health/live', '/health/ready'])
      assert.match(await ask(path, 'pod-7.cluster'), /^HTTP\/1\.1 200 /);
    for (const host of ['localhost', '10.0.0.1:3000']) assert.match(await ask('/ping', host), /^HTTP\/1\.1 200 /, host);
  });

  test('the OpenAPI document points clients to this server', async () => {
    const { json } = await server.request('GET', '/openapi.json');
    assert.equal(json.openapi, '3.1.0');
    assert.equal(json.info.version, '0.78.2');
    assert.equal(json.servers[0].url, server.url);
    assert.equal((await server.request('GET', '/latchkey/openapi.json')).json.servers[0].url, server.url);
  });
});
