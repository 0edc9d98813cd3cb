import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ApiError, type ClientOptions, createClient, eachItem, eachPage, isApiError } from './index.ts';

interface Sent {
  url: string;
  method: string | undefined;
  headers: Headers;
  body: unknown;
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** Creates a client that receives these responses in order, and records what it sent. */
function clientThatGets(responses: readonly (Response | Error)[], options: Partial<ClientOptions> = { apiKey: 'key' }) {
  const sent: Sent[] = [];
  const waiting = [...responses];
  const call = createClient({
    baseUrl: 'http://latchkey.test/',
    fetch: async (url, { method, headers, body } = {}) => {
      sent.push({ url: String(url), method, headers: new Headers(headers), body });
      const next = waiting.shift();
      if (next instanceof Response) return next;
      throw next ?? new Error('The client sent one request too many.');
    },
    ...options,
  });
  return { call, sent };
}

/** Advances time until a call has ended. */
async function passTime<Result>(t: TestContext, start: () => Promise<Result>): Promise<Result> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  const call = start().finally(() => {
    isOver = true;
  });
  // The caller receives the failure; this only waits for the end.
  call.catch(() => undefined);
  while (!isOver) {
    await setImmediate();
    t.mock.timers.tick(30_000);
  }
  return call;
}

test('parameters go into the path and the query, the body into JSON', async () => {
  const { call, sent } = clientThatGets([json(200, { id: '1', status: 'PENDING', name: 'New' })]);
  const app = await call('PATCH /client-apps/{id}', { id: 'a/b#c', body: { name: 'New' } });
  assert.equal(app.name, 'New');
  assert.equal(sent[0]?.url, 'http://latchkey.test/client-apps/a%2Fb%23c');
  assert.equal(sent[0]?.body, '{"name":"New"}');
  assert.equal(sent[0]?.headers.get('x-api-key'), 'key');
});

test('parameters outside the path go into the query', async () => {
  const { call, sent } = clientThatGets([json(200, { items: [] })]);
  await call('GET /client-apps', { limit: 5 }, { idempotencyKey: 'k' });
  assert.equal(sent[0]?.url, 'http://latchkey.test/client-apps?limit=5');
  assert.equal(sent[0]?.headers.get('idempotency-key'), 'k');
});

test('a value that would reach another operation is refused before anything is sent', async () => {
  const { call, sent } = clientThatGets([]);
  for (const id of ['', '.', '..'])
    await assert.rejects(call('DELETE /client-apps/{id}', { id }), {
      name: 'TypeError',
      message: /needs a value for "id"/,
    });
  assert.deepEqual(sent, []);
});

test('an empty response is undefined, a redirect is its URL, an image is its bytes', async () => {
  const nothing = clientThatGets([new Response(null, { status: 204 })]);
  assert.equal(await nothing.call('DELETE /client-apps/{id}', { id: '1' }), undefined);
  const redirect = clientThatGets([new Response(null, { status: 302, headers: { location: 'https://example.org/' } })]);
  assert.deepEqual(await redirect.call('GET /slugs/{slug}', { slug: 's' }), { location: 'https://example.org/' });
  const picture = clientThatGets([new Response(new Uint8Array([1, 2]), { headers: { 'content-type': 'image/png' } })]);
  assert.deepEqual(await picture.call('GET /qrcode/{data}', { data: 'x' }), new Uint8Array([1, 2]));
});

test('each kind of credential is sent in its own way, and a token is requested before every attempt', async (t) => {
  const ways: [Partial<ClientOptions>, string | null, string | null][] = [
    [{}, null, null],
    [{ apiKey: 'k' }, 'k', null],
    [{ accessToken: 't' }, null, 'Bearer t'],
    [{ aeToken: async () => 't' }, null, 'AE t'],
    [{ apiKey: 'k', authorization: 'Ethereum t' }, 'k', 'Ethereum t'],
  ];
  for (const [options, key, authorization] of ways) {
    const { call, sent } = clientThatGets([json(200, {})], options);
    await call('GET /scopes');
    assert.deepEqual([sent[0]?.headers.get('x-api-key'), sent[0]?.headers.get('authorization')], [key, authorization]);
  }
  let count = 0;
  const { call, sent } = clientThatGets([json(503, {}), json(200, {})], { accessToken: () => `t${++count}` });
  await passTime(t, () => call('GET /scopes'));
  assert.deepEqual(
    sent.map(({ headers }) => headers.get('authorization')),
    ['Bearer t1', 'Bearer t2'],
  );
});

test('an invalid client configuration is refused on construction', () => {
  assert.throws(() => createClient({ baseUrl: 'latchkey.example' }), /baseUrl must be the http or https address/);
  assert.throws(() => createClient({ baseUrl: 'ftp://latchkey.example' }), /baseUrl must be/);
  assert.throws(() => createClient({ baseUrl: 'http://a.test', aeToken: 'a', accessToken: 'b' }), /Give one of/);
});

test('a refusal is an error with its code, its details, its request id and the time to wait', async () => {
  const refusal = json(
    429,
    { error: { message: 'Slow down.', code: 'RATE_LIMITED', details: { a: 1 } } },
    { 'retry-after': '3600', 'x-request-id': 'r1' },
  );
  await assert.rejects(clientThatGets([refusal]).call('GET /scopes'), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual(
      [error.status, error.code, error.message, error.details, error.retryAfterSeconds, error.requestId],
      [429, 'RATE_LIMITED', 'Slow down.', { a: 1 }, 3600, 'r1'],
    );
    return true;
  });
});

test('an error in another shape, or in none, is an ApiError too', async () => {
  const oauth = json(400, { error: 'invalid_grant', error_description: 'The code was used.' });
  await assert.rejects(clientThatGets([oauth]).call('GET /scopes'), {
    code: 'invalid_grant',
    message: 'The code was used.',
  });
  const page = new Response('<h1>Bad gateway</h1>', { status: 418, headers: { 'retry-after': 'soon' } });
  await assert.rejects(clientThatGets([page]).call('GET /scopes'), {
    name: 'ApiError',
    status: 418,
    code: undefined,
    retryAfterSeconds: undefined,
    message: 'The server responded with status 418.',
    details: '<h1>Bad gateway</h1>',
  });
});

test('reads are retried after transient failures, within the configured limit', async (t) => {
  const passing = [json(429, {}, { 'retry-after': '1' }), new TypeError('fetch failed'), json(200, ['user:read'])];
  const { call, sent } = clientThatGets(passing);
  assert.deepEqual(await passTime(t, () => call('GET /scopes')), ['user:read']);
  assert.equal(sent.length, 3);
  t.mock.timers.reset();
  const down = clientThatGets([json(503, {}), json(503, {}), json(503, {}), json(503, {}), json(200, {})]);
  await assert.rejects(
    passTime(t, () => down.call('GET /scopes', {}, { retries: 3 })),
    { status: 503 },
  );
  assert.equal(down.sent.length, 4);
});

test('permanent refusals are not retried, nor is a long Retry-After', async () => {
  for (const refusal of [json(404, {}), json(401, {}), json(500, {}), json(503, {}, { 'retry-after': '31' })]) {
    const { call, sent } = clientThatGets([refusal]);
    await assert.rejects(call('GET /scopes'), { status: refusal.status });
    assert.equal(sent.length, 1);
  }
});

test('writes are not retried when they may have happened and the server cannot recognize the repetition', async () => {
  for (const failure of [json(503, {}), new TypeError('fetch failed')]) {
    const { call, sent } = clientThatGets([failure]);
    await assert.rejects(call('DELETE /client-apps/{id}', { id: '1' }));
    assert.equal(sent.length, 1);
  }
});

test('any call is retried after a rate limit, and role checks and PUT after an outage', async (t) => {
  const limited = clientThatGets([json(429, {}, { 'retry-after': '1' }), new Response(null, { status: 204 })]);
  await passTime(t, () => limited.call('DELETE /client-apps/{id}', { id: '1' }));
  assert.equal(limited.sent.length, 2);
  t.mock.timers.reset();
  const check = clientThatGets([new TypeError('fetch failed'), json(503, {}), json(200, { roles: [] })]);
  const body = { account: '0x1', rules: [] };
  assert.deepEqual(await passTime(t, () => check.call('POST /access-control/check-roles', { body })), { roles: [] });
  assert.equal(check.sent.length, 3);
});

test('a mistake in the code around a call is not retried, even if it is a TypeError', async () => {
  let calls = 0;
  const call = createClient({
    baseUrl: 'http://latchkey.test',
    apiKey: () => {
      calls += 1;
      throw new TypeError('undefined is not a function');
    },
    fetch: () => assert.fail('Nothing is sent.'),
  });
  await assert.rejects(call('GET /scopes'), { name: 'TypeError', message: 'undefined is not a function' });
  assert.equal(calls, 1);
});

test('an AE token may come with its scheme, as the command line prints it', async () => {
  for (const aeToken of ['abc', 'AE abc']) {
    const { call, sent } = clientThatGets([json(200, [])], { aeToken });
    await call('GET /scopes');
    assert.equal(sent[0]?.headers.get('authorization'), 'AE abc');
  }
});

test('a caller that aborts while waiting for the next attempt gets the reason at once', async () => {
  const end = new AbortController();
  const { call } = clientThatGets([json(503, {})]);
  const running = call('GET /scopes', {}, { signal: end.signal });
  await setImmediate();
  end.abort(new Error('never mind'));
  await assert.rejects(running, /never mind/);
});

test('an attempt that takes too long is a TimeoutError', async () => {
  const call = createClient({
    baseUrl: 'http://latchkey.test',
    timeoutMs: 1,
    retries: 0,
    fetch: (_url, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
  });
  // Keeps the process alive: the timer of a signal does not.
  const alive = setInterval(() => undefined, 1_000);
  await assert.rejects(call('GET /scopes'), { name: 'TimeoutError' }).finally(() => clearInterval(alive));
});

test('a list is iterated page by page, with the same parameters on every page', async () => {
  const pages = () => [
    json(200, { items: [{ name: 'a' }, { name: 'b' }], paginationToken: 't+/' }),
    json(200, { items: [{ name: 'c' }] }),
  ];
  const { call, sent } = clientThatGets(pages());
  const names: (string | undefined)[] = [];
  for await (const { name } of eachItem(call, 'GET /client-apps', { limit: 2 })) names.push(name);
  assert.deepEqual(names, ['a', 'b', 'c']);
  assert.deepEqual(
    sent.map(({ url }) => url.split('?')[1]),
    ['limit=2', 'limit=2&paginationToken=t%2B%2F'],
  );
  const early = clientThatGets(pages());
  for await (const page of eachPage(early.call, 'GET /client-apps')) {
    assert.equal(page.items.length, 2);
    break;
  }
  assert.equal(early.sent.length, 1);
});

test('mistakes do not compile', () => {
  const { call } = clientThatGets([]);
  const mistakes = () => [
    // @ts-expect-error The route does not exist.
    call('GET /nowhere', {}),
    // @ts-expect-error The id is missing.
    call('GET /client-apps/{id}', {}),
    // @ts-expect-error Without the id there is nothing to call.
    call('GET /client-apps/{id}'),
    // @ts-expect-error The name must be a text.
    call('PATCH /client-apps/{id}', { id: '1', body: { name: 1 } }),
    // @ts-expect-error The limit must be a number.
    call('GET /client-apps', { limit: '5' }),
    // @ts-expect-error This is not a list.
    eachItem(call, 'GET /scopes'),
  ];
  assert.equal(typeof mistakes, 'function');
});

test('errors of the API are told from those of OAuth, of a proxy and of the code', () => {
  const withCode = (code?: string) => new ApiError(400, code === undefined ? {} : { code }, null);
  for (const error of [withCode('RATE_LIMITED'), withCode('ADDED_LATER_2')]) assert.ok(isApiError(error));
  for (const error of [withCode('invalid_client'), withCode(), new TypeError('A mistake.'), undefined])
    assert.ok(!isApiError(error));
});
