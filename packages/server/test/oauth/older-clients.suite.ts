import assert from 'node:assert/strict';
import { test } from 'node:test';
import Strategy from 'passport-oauth2';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import type { TestServer } from '../harness/test-server.ts';
import { alice, authorize, openBrowser } from './browser.ts';
import { isActive } from './flow.ts';
import { registerClient, type SampleClient } from './sample-client.ts';

/** Clients without OpenID Connect, and with PKCE only if configured, at their default settings. */
export function olderClientsSuite(running: () => TestServer): void {
  const comeBack = (address: string) => authorize(running(), openBrowser(running()), address);

  async function accountOf(accessToken: string): Promise<string> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await running().request('GET', '/oauth2/userinfo', { headers })).json.sub;
  }

  /** One visit to a route that passport guards: returns where it redirects the browser, or the user it admitted. */
  function visit(strategy: Strategy, query: Record<string, string>, session: object): Promise<string> {
    return new Promise((resolve, reject) => {
      const acting: Strategy = Object.assign(Object.create(strategy), {
        redirect: resolve,
        success: ({ accessToken }: { accessToken: string }) => resolve(accessToken),
        fail: (challenge: unknown) => reject(new Error(JSON.stringify(challenge))),
        error: reject,
      });
      acting.authenticate({ query, session });
    });
  }

  function passport({ id, secret = '', redirectUri }: SampleClient, more = {}): Strategy {
    const options = {
      authorizationURL: `${running().url}/oauth2/authorize`,
      tokenURL: `${running().url}/oauth2/token`,
      clientID: id,
      clientSecret: secret,
      callbackURL: redirectUri,
      ...more,
    };
    return new Strategy(options, (accessToken, _refreshToken, _profile, verified) => verified(null, { accessToken }));
  }

  for (const [how, more] of [
    ['at its defaults', {}],
    ['with a state', { state: true, scope: 'openid user:read' }],
    ['with PKCE by plain', { state: true, pkce: 'plain' }],
    ['with PKCE by S256', { state: true, pkce: true }],
  ] as const)
    test(`passport-oauth2 logs a person in ${how}`, async () => {
      const strategy = passport(await registerClient(running()), more);
      const session = {};
      const back = await comeBack(await visit(strategy, {}, session));
      const accessToken = await visit(strategy, Object.fromEntries(back.searchParams), session);
      assert.equal(await accountOf(accessToken), alice.userId);
    });

  test('passport-oauth2 with a wrong secret gets nothing for a code', async () => {
    const client = await registerClient(running());
    const strategy = passport({ ...client, secret: 'lk_cs_wrong' });
    const back = await comeBack(await visit(strategy, {}, {}));
    await assert.rejects(visit(strategy, Object.fromEntries(back.searchParams), {}), /client authentication failed/);
  });

  test('simple-oauth2 logs a person in at its defaults, refreshes and revokes', async () => {
    const client = await registerClient(running());
    const library = new AuthorizationCode(settingsOf(client));
    const redirect_uri = client.redirectUri;
    const back = await comeBack(library.authorizeURL({ redirect_uri, scope: 'openid user:read', state: 'mine' }));
    assert.equal(back.searchParams.get('state'), 'mine');
    const code = back.searchParams.get('code') ?? '';
    const first = await library.getToken({ code, redirect_uri });
    assert.equal(await accountOf(first.token.access_token), alice.userId);
    const second = await first.refresh();
    assert.notEqual(second.token.refresh_token, first.token.refresh_token);
    assert.equal(await isActive(running(), client, second.token.access_token), true);
    await second.revoke('access_token');
    assert.equal(await isActive(running(), client, second.token.access_token), false);
  });

  test('simple-oauth2 gets a token for an application itself', async () => {
    const { client, auth } = settingsOf(await registerClient(running()));
    const { tokenHost, tokenPath } = auth;
    const library = new ClientCredentials({ client, auth: { tokenHost, tokenPath } });
    assert.equal((await library.getToken({ scope: 'token-gating' })).token.scope, 'token-gating');
  });

  function settingsOf({ id, secret = '' }: SampleClient) {
    const auth = {
      tokenHost: running().url,
      tokenPath: '/oauth2/token',
      authorizePath: '/oauth2/authorize',
      revokePath: '/oauth2/revoke',
    };
    return { client: { id, secret }, auth };
  }
}
