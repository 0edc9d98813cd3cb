import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '@latchkey/core';
import { ApiError, createClient } from './index.ts';

interface Sent {
  url: string;
  init: RequestInit;
}

function clientThatGets(response: Response) {
  const sent: Sent[] = [];
  const call = createClient<Api>({
    baseUrl: 'http://latchkey.test/',
    apiKey: 'key',
    fetch: async (url, init) => {
      sent.push({ url: String(url), init: init ?? {} });
      return response;
    },
  });
  return { call, sent };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

test('parameters go into the path and the query, the body into JSON', async () => {
  const { call, sent } = clientThatGets(json(200, { id: '1', status: 'PENDING', name: 'New' }));
  const app = await call('PATCH /client-apps/{id}', { id: 'a/b#c', body: { name: 'New' } });
  assert.equal(app.name, 'New');
  assert.equal(sent[0]?.url, 'http://latchkey.test/client-apps/a%2Fb%23c');
  assert.equal(sent[0]?.init.body, '{"name":"New"}');
  assert.equal(new Headers(sent[0]?.init.headers).get('x-api-key'), 'key');
});

test('what is not in the path goes into the query', async () => {
  const { call, sent } = clientThatGets(json(200, { items: [] }));
  await call('GET /client-apps', { limit: 5 }, { idempotencyKey: 'k' });
  assert.equal(sent[0]?.url, 'http://latchkey.test/client-apps?limit=5');
  assert.equal(new Headers(sent[0]?.init.headers).get('idempotency-key'), 'k');
});

test('an empty answer is undefined, a redirect is its address, a picture is its bytes', async () => {
  assert.equal(
    await clientThatGets(new Response(null, { status: 204 })).call('DELETE /client-apps/{id}', { id: '1' }),
    undefined,
  );
  const redirect = new Response(null, { status: 302, headers: { location: 'https://example.org/' } });
  assert.deepEqual(await clientThatGets(redirect).call('GET /slugs/{slug}', { slug: 's' }), {
    location: 'https://example.org/',
  });
  const picture = new Response(new Uint8Array([1, 2]), { headers: { 'content-type': 'image/png' } });
  assert.deepEqual(await clientThatGets(picture).call('GET /qrcode/{data}', { data: 'x' }), new Uint8Array([1, 2]));
});

test('a refusal is an error with its code, its details and the time to wait', async () => {
  const refusal = json(
    429,
    { error: { message: 'Slow down.', code: 'RATE_LIMITED', details: { a: 1 } } },
    { 'retry-after': '7' },
  );
  await assert.rejects(clientThatGets(refusal).call('GET /scopes'), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual(
      [error.status, error.code, error.message, error.details, error.retryAfterSeconds],
      [429, 'RATE_LIMITED', 'Slow down.', { a: 1 }, 7],
    );
    return true;
  });
});

test('mistakes do not compile', () => {
  const { call } = clientThatGets(json(200, {}));
  const mistakes = () => [
    // @ts-expect-error There is no such route.
    call('GET /nowhere', {}),
    // @ts-expect-error The id is missing.
    call('GET /client-apps/{id}', {}),
    // @ts-expect-error The name must be a text.
    call('PATCH /client-apps/{id}', { id: '1', body: { name: 1 } }),
    // @ts-expect-error The limit must be a number.
    call('GET /client-apps', { limit: '5' }),
  ];
  assert.equal(typeof mistakes, 'function');
});
