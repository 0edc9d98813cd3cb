import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as client from 'openid-client';
import { startTwitterEmulator } from './index.ts';

const redirectUri = 'https://club.example/account/x';

/** The third-party client that the emulator is tested against. X publishes no metadata, so the client is configured explicitly. */
async function openFor(t: TestContext, { secret = 'x-secret', scope = 'users.read tweet.read' } = {}) {
  let now = 1_000_000;
  const emulator = await startTwitterEmulator({ clock: () => now });
  t.after(emulator.stop);
  emulator.state.app.redirectUris.add(redirectUri);
  emulator.state.users.push({ id: '42', username: 'ann', followers: 3 });
  const server = {
    issuer: emulator.url,
    authorization_endpoint: `${emulator.url}/i/oauth2/authorize`,
    token_endpoint: `${emulator.url}/2/oauth2/token`,
  };
  const config = new client.Configuration(server, 'x-client', undefined, client.ClientSecretBasic(secret));
  client.allowInsecureRequests(config);
  const verifier = client.randomPKCECodeVerifier();
  const parameters = {
    redirect_uri: redirectUri,
    scope,
    state: 'xyz',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const address = client.buildAuthorizationUrl(config, parameters);
  const decide = async (decision: string) => {
    const page = await (await fetch(address)).text();
    assert.match(page, /<form method="post">.*<option value="42">ann<\/option>/s);
    const body = new URLSearchParams({ user: '42', decision });
    const answer = await fetch(address, { method: 'POST', body, redirect: 'manual' });
    assert.equal(answer.status, 302);
    return new URL(answer.headers.get('location') ?? '');
  };
  const exchange = (back: URL, proof = verifier) =>
    client.authorizationCodeGrant(config, back, { pkceCodeVerifier: proof, expectedState: 'xyz' });
  const readOwn = async (accessToken: string) =>
    fetch(`${emulator.url}/2/users/me`, { headers: { authorization: `Bearer ${accessToken}` } });
  const pass = (seconds: number) => {
    now += seconds * 1000;
  };
  return { emulator, config, address, decide, exchange, readOwn, pass };
}

test('openid-client completes the page with PKCE and learns the account, once per code', async (t) => {
  const { decide, exchange, readOwn, pass } = await openFor(t);
  const back = await decide('allow');
  assert.equal(back.searchParams.get('state'), 'xyz');
  const { access_token: token, scope, expires_in } = await exchange(back);
  assert.deepEqual([scope, expires_in], ['users.read tweet.read', 7200]);
  assert.deepEqual(await (await readOwn(token)).json(), { data: { id: '42', username: 'ann', name: 'ann' } });
  await assert.rejects(exchange(back), { error: 'invalid_request' });
  pass(7200);
  assert.equal((await readOwn(token)).status, 401);
});

test('a wrong proof consumes a code, and a code is valid for half a minute', async (t) => {
  const { decide, exchange, pass } = await openFor(t);
  const back = await decide('allow');
  await assert.rejects(exchange(back, client.randomPKCECodeVerifier()), { error: 'invalid_request' });
  await assert.rejects(exchange(back), { error: 'invalid_request' });
  const late = await decide('allow');
  pass(30);
  await assert.rejects(exchange(late), { error: 'invalid_request' });
});

test('a wrong secret, a denial and insufficient scopes lead to nothing', async (t) => {
  const stranger = await openFor(t, { secret: 'wrong' });
  await assert.rejects(stranger.exchange(await stranger.decide('allow')), { error: 'unauthorized_client' });
  const { decide, exchange } = await openFor(t);
  await assert.rejects(exchange(await decide('deny')), { error: 'access_denied' });
  const small = await openFor(t, { scope: 'users.read' });
  const { access_token: token } = await small.exchange(await small.decide('allow'));
  assert.equal((await small.readOwn(token)).status, 403);
});

test('a request that differs from the registration is not redirected', async (t) => {
  const { address } = await openFor(t);
  const changes: [string, string | undefined][] = [
    ['client_id', 'another'],
    ['redirect_uri', 'https://club.example/account/x/'],
    ['redirect_uri', 'https://evil.example/account/x'],
    ['response_type', 'token'],
    ['scope', 'everything'],
    ['state', undefined],
    ['code_challenge', undefined],
    ['code_challenge_method', 'S512'],
  ];
  for (const [name, value] of changes) {
    const changed = new URL(address);
    if (value === undefined) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(changed, { method, redirect: 'manual' });
      assert.equal(answer.status, 400, `${method} with ${name}=${value}`);
    }
  }
});
