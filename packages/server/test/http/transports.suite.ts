import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  AppError,
  anyone,
  form,
  inHeader,
  NoContent,
  op,
  PlainText,
  Png,
  Redirect,
  type Resource,
  rawBody,
  record,
  resource,
  shape,
  T,
  text,
} from '@latchkey/kernel';
import { createRateLimiter } from '../../src/http/rate-limiter.ts';
import { createHttpServer, type HttpServer } from '../../src/http/serve.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('http: transports', () => {
  const common = { summary: 'A sample', description: 'A sample.', access: anyone };
  const Grant = record('SampleGrant', 'A token request.', {
    grant_type: text('The grant.'),
    code: T.Optional(text('The code.')),
  });
  const secret = 'shared';

  /** Every unusual way in which a request or a response of the API is sent. */
  const samples = resource('samples', 'Samples.', [
    op(
      'POST /samples/token',
      { ...common, id: 'token', sdk: 'S.token', body: form(Grant), returns: Grant },
      (_ctx: object, { body }) => body,
    ),
    op(
      'GET /samples/authorize',
      { ...common, id: 'authorize', sdk: 'S.authorize', params: { state: text('The state.') }, returns: Redirect },
      (_ctx: object, { state }) => ({
        location: `https://client.example/callback?state=${encodeURIComponent(state)}`,
      }),
    ),
    op(
      'POST /samples/webhook',
      {
        ...common,
        id: 'webhook',
        sdk: 'S.webhook',
        params: { 'Sample-Signature': inHeader(text('The signature.')) },
        body: rawBody,
        returns: NoContent,
      },
      (_ctx: object, input) => {
        const expected = createHmac('sha256', secret).update(input.body).digest('hex');
        if (input['Sample-Signature'] !== expected)
          throw new AppError('INVALID_CREDENTIAL', 'The signature does not fit the body.');
      },
    ),
    op(
      'GET /samples/registered',
      { ...common, id: 'registered', sdk: 'S.registered', returns: shape(T.Boolean({ description: 'Whether.' })) },
      () => true,
    ),
    op(
      'GET /samples/ids',
      {
        ...common,
        id: 'ids',
        sdk: 'S.ids',
        params: { assets: T.Array(T.String(), { maxItems: 9 }) },
        returns: shape(T.Array(T.String())),
      },
      (_ctx: object, { assets }) => assets,
    ),
    op(
      'GET /samples/picture',
      { ...common, id: 'picture', sdk: 'S.picture', returns: Png },
      () => new Uint8Array([137, 80, 78, 71]),
    ),
    op('GET /samples/key', { ...common, id: 'key', sdk: 'S.key', returns: PlainText }, () => 'text'),
    op(
      'GET /samples/leaky',
      {
        ...common,
        id: 'leaky',
        sdk: 'S.leaky',
        returns: record('Narrow', 'A narrow answer.', { name: text('The name.') }),
      },
      () => ({ name: 'n', internalSecret: 'must not leave' }),
    ),
    op('GET /samples/broken', { ...common, id: 'broken', sdk: 'S.broken', returns: NoContent }, () => {
      throw new Error('a fault with postgres://latchkey:topsecret@db in it');
    }),
  ]);

  let server: TestServer;
  let http: HttpServer;
  let url: string;

  before(async () => {
    server = await startTestServer();
    http = createHttpServer({
      server: {
        services: server.services,
        config: server.config,
        limiter: createRateLimiter(server.services),
        credentials: {
          apiKey: async () => ({ actor: { kind: 'anonymous' } }),
          authorization: {},
          consoleSession: async () => ({ actor: { kind: 'anonymous' } }),
          isKnownOrigin: async () => false,
        },
      },
      resources: [samples as unknown as Resource],
      config: server.config,
      metrics: {
        contentType: 'text/plain',
        countRequest: () => undefined,
        read: async () => '',
        close: () => undefined,
      },
      isReady: async () => true,
    });
    url = await http.fastify.listen({ port: 0, host: '127.0.0.1' });
  });

  after(async () => {
    await http.drain(1_000);
    await server.close();
  });

  const get = (path: string) => fetch(url + path, { redirect: 'manual' });
  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(url + path, { method: 'POST', body, headers });
  const formType = { 'content-type': 'application/x-www-form-urlencoded' };

  test('a form body is read by its schema', async () => {
    const answer = await post('/samples/token', 'grant_type=authorization_code&code=a%20b&extra=1', formType);
    assert.deepEqual(await answer.json(), { grant_type: 'authorization_code', code: 'a b' });
    assert.equal((await post('/samples/token', 'code=1', formType)).status, 422);
    assert.equal((await post('/samples/token', 'grant_type=a&grant_type=b', formType)).status, 400);
    assert.equal(
      (await post('/samples/token', '{"grant_type":"a"}', { 'content-type': 'application/json' })).status,
      415,
    );
  });

  test('a redirect returns 302 with the URL', async () => {
    const answer = await get('/samples/authorize?state=a%26b');
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get('location'), 'https://client.example/callback?state=a%26b');
  });

  test('a webhook gets the exact bytes that were signed, whatever their type', async () => {
    const body = '{ "a" : 1.0,\n "a": 2 }';
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    for (const type of ['application/json', 'text/plain', 'application/octet-stream']) {
      assert.equal(
        (await post('/samples/webhook', body, { 'content-type': type, 'sample-signature': signature })).status,
        204,
      );
    }
    assert.equal(
      (
        await post('/samples/webhook', `${body} `, {
          'content-type': 'application/json',
          'sample-signature': signature,
        })
      ).status,
      401,
    );
    const missing = await post('/samples/webhook', body, { 'content-type': 'application/json' });
    assert.equal((await missing.json()).error.code, 'MISSING_REQUIRED_PARAMETER');
  });

  test('a boolean, a bare array, an image and a text are returned as such', async () => {
    assert.equal(await (await get('/samples/registered')).text(), 'true');
    assert.equal(await (await get('/samples/ids?assets=a&assets=b')).text(), '["a","b"]');
    assert.equal(await (await get('/samples/ids?assets=a')).text(), '["a"]');
    const picture = await get('/samples/picture');
    assert.equal(picture.headers.get('content-type'), 'image/png');
    assert.deepEqual([...new Uint8Array(await picture.arrayBuffer())], [137, 80, 78, 71]);
    assert.equal((await get('/samples/key')).headers.get('content-type'), 'text/plain; charset=utf-8');
  });

  test('a field that the response schema lacks is never sent', async () => {
    assert.equal(await (await get('/samples/leaky')).text(), '{"name":"n"}');
  });

  test('a server error is returned without its cause and logged without secrets', async () => {
    const answer = await get('/samples/broken');
    assert.equal(answer.status, 500);
    const { error } = await answer.json();
    assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'name', 'statusCode']);
    assert.ok(!JSON.stringify(error).includes('fault'));
    const logged = server.logLines.filter((line) => line.includes('a fault with'));
    assert.equal(logged.length, 1);
    assert.ok(!logged[0]?.includes('topsecret'));
    assert.ok(logged[0]?.includes(answer.headers.get('x-request-id') ?? 'no request id'));
  });
});
