import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as client from 'openid-client';
import { emulatorFor } from './testing.ts';

const redirectUri = 'https://club.example/back';

/** The third-party client that the emulator is tested against, configured from the emulator's own metadata. */
async function openFor(t: TestContext, secret?: string) {
  const emulator = await emulatorFor(t, { application: { redirectUris: [redirectUri] } });
  const { id, clientSecret } = emulator.application;
  const config = await client.discovery(
    new URL(new URL(emulator.url).origin),
    id,
    undefined,
    client.ClientSecretPost(secret ?? clientSecret),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  );
  const user = emulator.createUser('ann');
  const verifier = client.randomPKCECodeVerifier();
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'identify',
    state: 'xyz',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  /** Submits the user's decision on the consent page. */
  const decide = async (decision: string) => {
    const page = await (await fetch(address)).text();
    assert.match(page, /<form method="post">.*<option value="\d+">ann<\/option>/s);
    const body = new URLSearchParams({ user: user.id, decision });
    const answer = await fetch(address, { method: 'POST', body, redirect: 'manual' });
    assert.equal(answer.status, 302);
    return new URL(answer.headers.get('location') ?? '');
  };
  const exchange = (back: URL, proof = verifier) =>
    client.authorizationCodeGrant(config, back, { pkceCodeVerifier: proof, expectedState: 'xyz' });
  return { emulator, config, user, decide, exchange };
}

test('openid-client discovers the emulator, completes its page with PKCE and reads the profile', async (t) => {
  const { emulator, config, user, decide, exchange } = await openFor(t);
  const back = await decide('allow');
  const tokens = await exchange(back);
  assert.equal(tokens.scope, 'identify');
  const profile = await client.fetchProtectedResource(
    config,
    tokens.access_token,
    new URL(`${emulator.url}/v10/users/@me`),
    'GET',
  );
  assert.equal((await profile.json()).id, user.id);
  await assert.rejects(exchange(back), { error: 'invalid_grant' });
});

test('openid-client is refused with a wrong proof or secret, and notified when the user declines', async (t) => {
  const { decide, exchange } = await openFor(t);
  await assert.rejects(exchange(await decide('allow'), client.randomPKCECodeVerifier()), { error: 'invalid_grant' });
  await assert.rejects(exchange(await decide('allow'), 'short'), { error: 'invalid_request' });
  await assert.rejects(exchange(await decide('deny')), { error: 'access_denied' });
  const other = await openFor(t, 'wrong');
  await assert.rejects(other.exchange(await other.decide('allow')), { error: 'invalid_client' });
});
