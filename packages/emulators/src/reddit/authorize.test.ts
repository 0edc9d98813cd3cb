import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as client from 'oauth4webapi';
import { type RedditEmulator, startRedditEmulator } from './index.ts';

const redirectUri = 'https://club.example/back';

describe('the Reddit emulator, logged in with by oauth4webapi', () => {
  let reddit: RedditEmulator;
  let now = Date.parse('2026-01-01T00:00:00Z');
  before(async () => {
    // Without characters that only strict clients encode in a header.
    const app = { clientId: 'app', clientSecret: 'secret', redirectUris: [redirectUri] };
    reddit = await startRedditEmulator({ clock: () => now, ...app });
    reddit.world.addUser('ann');
  });
  after(() => reddit.stop());

  const insecure = { [client.allowInsecureRequests]: true };
  const request = (changes: Record<string, string> = {}) => {
    const url = new URL(`${reddit.url}/api/v1/authorize`);
    const parameters = {
      ...{ client_id: reddit.clientId, response_type: 'code', redirect_uri: redirectUri, scope: 'identity' },
      ...{ state: 'xyz', duration: 'temporary' },
      ...changes,
    };
    url.search = new URLSearchParams(parameters).toString();
    return url;
  };
  const decide = async (decision: string, changes?: Record<string, string>) => {
    const page = await fetch(request(changes));
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<option value="ann">ann<\/option>/);
    const body = new URLSearchParams({ user: 'ann', decision });
    const answer = await fetch(request(changes), { method: 'POST', body, redirect: 'manual' });
    const location = new URL(answer.headers.get('location') ?? '');
    location.hash = '';
    return location;
  };
  const exchange = async (back: URL, { redirect = redirectUri, secret = reddit.clientSecret } = {}) => {
    const server = { issuer: reddit.url, token_endpoint: `${reddit.url}/api/v1/access_token` };
    const app = { client_id: reddit.clientId };
    const parameters = client.validateAuthResponse(server, app, back, 'xyz');
    const response = await client.authorizationCodeGrantRequest(
      server,
      app,
      client.ClientSecretBasic(secret),
      parameters,
      redirect,
      client.nopkce,
      { ...insecure, headers: { 'user-agent': 'test:latchkey.reddit-emulator:v1 (by /u/tester)' } },
    );
    return client.processAuthorizationCodeResponse(server, app, response);
  };

  it('issues a token for a day when the user allows it, and a refresh token only if requested', async () => {
    const back = await decide('allow');
    const tokens = await exchange(back);
    assert.deepEqual([tokens.scope, tokens.refresh_token], ['identity', undefined]);
    await assert.rejects(exchange(back), /status code|error/i);
    const permanent = await exchange(await decide('allow', { duration: 'permanent' }));
    assert.equal(typeof permanent.refresh_token, 'string');
  });

  it('refuses other redirect URIs, applications and scopes on the page, and old codes and secrets after it', async () => {
    const changes: Record<string, string>[] = [
      { redirect_uri: 'https://evil.example' },
      { client_id: 'other' },
      { scope: 'everything' },
      { response_type: 'token' },
      { state: '' },
    ];
    for (const change of changes) {
      const page = await fetch(request(change), { redirect: 'manual' });
      assert.deepEqual([page.status, page.headers.get('location')], [400, null]);
    }
    await assert.rejects(exchange(await decide('allow'), { redirect: 'https://evil.example' }));
    await assert.rejects(exchange(await decide('allow'), { secret: 'wrong' }));
    const late = await decide('allow');
    now += 600_000;
    await assert.rejects(exchange(late));
    await assert.rejects(exchange(await decide('deny')), { error: 'access_denied' });
  });

  it('revokes a permanent token with everything that was made with it, for the application alone', async () => {
    const { access_token, refresh_token = '' } = await exchange(await decide('allow', { duration: 'permanent' }));
    const server = { issuer: reddit.url, revocation_endpoint: `${reddit.url}/api/v1/revoke_token` };
    const headers = { 'user-agent': 'test:latchkey.reddit-emulator:v1 (by /u/tester)' };
    const revoke = async (secret: string) =>
      client.revocationRequest(
        server,
        { client_id: reddit.clientId },
        client.ClientSecretBasic(secret),
        refresh_token,
        {
          ...insecure,
          headers,
        },
      );
    const me = async () =>
      (await fetch(`${reddit.url}/api/v1/me`, { headers: { ...headers, authorization: `bearer ${access_token}` } }))
        .status;
    assert.equal((await revoke('wrong')).status, 401);
    assert.deepEqual([await me(), reddit.tokens.granted().includes(refresh_token)], [200, true]);
    // Reddit responds with 204, where RFC 7009 has 200. Revoking twice is not an error.
    assert.deepEqual(
      [(await revoke(reddit.clientSecret)).status, (await revoke(reddit.clientSecret)).status],
      [204, 204],
    );
    assert.deepEqual([await me(), reddit.tokens.granted().includes(refresh_token)], [401, false]);
  });
});
