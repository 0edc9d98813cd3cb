import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError, createClient, eachItem } from '@latchkey/client';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

describe('the typed client', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  test('stores a state and reads it back, as the README shows', async () => {
    const { key } = await server.apiKey(['state:create']);
    const call = createClient({ baseUrl: server.url, apiKey: key });
    const { slug = '' } = await call('POST /states', { body: { hello: 'world' } });
    assert.deepEqual(await call('GET /states/{slug}', { slug }), { hello: 'world' });
    assert.deepEqual(await call('GET /slugs/{slug}', { slug }), { location: `${server.url}/states/${slug}` });
  });

  test('pages through a list with the tokens it is given', async () => {
    const call = createClient({ baseUrl: server.url, authorization: await server.aeToken('DIS#USER#pager') });
    for (const name of ['a', 'b', 'c']) await call('POST /client-apps', { body: { name, clientType: 'apiKey' } });
    const names: (string | undefined)[] = [];
    for await (const app of eachItem(call, 'GET /client-apps', { limit: 2 })) names.push(app.name);
    assert.deepEqual(names.sort(), ['a', 'b', 'c']);
  });

  test('a refusal is an error with its code', async () => {
    const call = createClient({ baseUrl: server.url });
    await assert.rejects(
      call('GET /client-apps', {}),
      (error) => error instanceof ApiError && error.code === 'AUTHENTICATION_REQUIRED',
    );
  });
});
