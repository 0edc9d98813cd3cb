import assert from 'node:assert/strict';
import { test } from 'node:test';
import { introspectOwnToken } from '@latchkey/core';
import type { TestAnswer, TestServer } from '../harness/test-server.ts';
import { getTokens, post } from './flow.ts';
import { registerClient, type SampleClient } from './sample-client.ts';

const path = '/oauth2/introspect';
/** Headers that differ between responses, or that the server only adds to its own responses. */
const ofOneAnswer =
  /^(?:date|x-request-id|x-ratelimit-.*|ratelimit|content-length|connection|keep-alive|cross-origin-opener-policy)$/;

/**
 * A program introspects its application's own token in the simplest form, which is answered without the provider
 * library.
 */
export function introspectionSuite(running: () => TestServer): void {
  const own = async (client: SampleClient, scope = 'token-gating'): Promise<string> =>
    (await post(running(), client, '/oauth2/token', { grant_type: 'client_credentials', scope })).json.access_token;
  const ask = (client: SampleClient, token: string) => post(running(), client, path, { token });
  /** With the hint first, which only the provider handles. */
  const askProvider = (client: SampleClient, token: string) =>
    post(running(), client, path, { token_type_hint: 'access_token', token });
  const headersOf = ({ headers }: TestAnswer) =>
    Object.fromEntries([...headers].filter(([name]) => !ofOneAnswer.test(name)));

  test('introspection returns the same as the provider library for an application’s own token', async () => {
    const client = await registerClient(running());
    const token = await own(client);
    const [plain, provided] = [await ask(client, token), await askProvider(client, token)];
    assert.equal(plain.json.active, true, plain.text);
    assert.deepEqual(plain.json, provided.json);
    assert.deepEqual([plain.status, headersOf(plain)], [provided.status, headersOf(provided)]);
    const request = { clientId: client.id, clientSecret: client.secret ?? '', token };
    assert.deepEqual(await introspectOwnToken(running().services, request), provided.json);
  });

  test('a revoked token is inactive at the next introspection', async () => {
    const client = await registerClient(running());
    const token = await own(client);
    assert.equal((await ask(client, token)).json.active, true);
    assert.equal((await post(running(), client, '/oauth2/revoke', { token })).status, 200);
    assert.deepEqual((await ask(client, token)).json, { active: false });
  });

  test('a wrong secret, a client that does not exist and one without a secret get no information', async () => {
    const [client, other, open] = [
      await registerClient(running()),
      await registerClient(running()),
      await registerClient(running(), { clientType: 'public', grantTypes: ['authorization_code'] }),
    ];
    const token = await own(client);
    for (const by of [
      { ...client, secret: other.secret },
      { ...client, id: 'nobody' },
      { ...open, secret: 'lk_cs_x' },
    ]) {
      const { status, json } = await ask(by, token);
      assert.deepEqual([status, json.error], [401, 'invalid_client']);
    }
    assert.deepEqual((await ask(other, token)).json, { active: false });
  });

  test('unusual requests are handled by the provider library', async () => {
    const client = await registerClient(running(), { origins: ['https://app.example'] });
    const token = await own(client);
    const { access_token: ofPerson } = await getTokens(running(), client);
    assert.equal((await ask(client, ofPerson)).json.sub !== undefined, true);
    const authorization = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    const asks = async (headers: Record<string, string>, body: string) =>
      (await running().request('POST', path, { headers: { ...form, ...headers }, body })).json;
    assert.equal((await asks({ origin: 'https://app.example' }, `token=${token}`)).active, true);
    assert.equal((await asks({}, `token=${token}&token=${token}`)).error, 'invalid_request');
    assert.equal((await asks({}, `token=${token}&client_secret=${client.secret}`)).error, 'invalid_request');
    assert.equal((await asks({}, `token=${token}&client_id=another`)).error, 'invalid_request');
    assert.deepEqual(await asks({}, `token=lk_at_${'x'.repeat(43)}`), { active: false });
  });
}
