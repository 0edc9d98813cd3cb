import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rotateKey } from '@latchkey/core';
import * as oidc from 'openid-client';
import type { TestServer } from '../harness/test-server.ts';
import { alice, authorize, loginToken, openBrowser, pageDataOf } from './browser.ts';
import { registerClient, type SampleClient } from './sample-client.ts';

const scope = 'openid profile user:read';

/** What openid-client, a certified client library, can do with this server. */
export function openidClientSuite(running: () => TestServer): void {
  function discover(client: SampleClient, auth?: oidc.ClientAuth): Promise<oidc.Configuration> {
    const method = auth ?? (client.secret === undefined ? oidc.None() : oidc.ClientSecretBasic(client.secret));
    return oidc.discovery(new URL(running().url), client.id, client.secret, method, {
      execute: [oidc.allowInsecureRequests],
    });
  }

  /** A login from the first redirect to the tokens, checked by the library at every step. */
  async function logIn(
    config: oidc.Configuration,
    client: SampleClient,
    parameters: Record<string, string> = {},
    person = alice,
    browser = openBrowser(running()),
  ) {
    const verifier = oidc.randomPKCECodeVerifier();
    const checks = { state: oidc.randomState(), nonce: oidc.randomNonce() };
    const address = oidc.buildAuthorizationUrl(config, {
      redirect_uri: client.redirectUri,
      scope,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...checks,
      ...parameters,
    });
    const back = await authorize(running(), browser, address.href, { person });
    assert.equal(`${back.origin}${back.pathname}`, client.redirectUri);
    assert.equal(back.searchParams.get('iss'), running().url);
    return oidc.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      idTokenExpected: true,
    });
  }

  for (const [what, options, auth] of [
    ['a public application', { clientType: 'public' }, undefined],
    ['a confidential application by HTTP Basic', {}, oidc.ClientSecretBasic],
    ['a confidential application by a form field', {}, oidc.ClientSecretPost],
  ] as const) {
    test(`${what} logs a user in, and refreshes, uses and revokes its tokens`, async () => {
      const client = await registerClient(running(), options);
      const config = await discover(client, auth?.(client.secret));
      const tokens = await logIn(config, client);
      assert.equal(tokens.scope, scope);
      assert.equal(tokens.claims()?.sub, alice.userId);

      const person = await oidc.fetchUserInfo(config, tokens.access_token, alice.userId);
      assert.deepEqual([person.name, person.platform], [alice.name, alice.platform]);
      const me = await running().request('GET', '/account/me', {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      assert.deepEqual([me.status, me.json.id], [200, alice.userId]);

      const introspected = await oidc.tokenIntrospection(config, tokens.access_token);
      assert.deepEqual(
        [introspected.active, introspected.sub, introspected.client_id, introspected.username, introspected.iss],
        [true, alice.userId, client.id, alice.name, running().url],
      );

      const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
      assert.notEqual(refreshed.refresh_token, tokens.refresh_token);
      assert.equal((await oidc.tokenIntrospection(config, refreshed.access_token)).active, true);

      await oidc.tokenRevocation(config, refreshed.refresh_token ?? '');
      for (const token of [refreshed.access_token, refreshed.refresh_token ?? '', tokens.access_token])
        assert.deepEqual(await oidc.tokenIntrospection(config, token), { active: false });
      const refused = await running().request('GET', '/account/me', {
        headers: { authorization: `Bearer ${refreshed.access_token}` },
      });
      assert.equal(refused.status, 401);
    });
  }

  test('a confidential application logs a person in without PKCE', async () => {
    const client = await registerClient(running());
    const config = await discover(client);
    const state = oidc.randomState();
    const address = oidc.buildAuthorizationUrl(config, { redirect_uri: client.redirectUri, scope, state });
    const back = await authorize(running(), openBrowser(running()), address.href);
    const tokens = await oidc.authorizationCodeGrant(config, back, { expectedState: state });
    assert.equal(tokens.claims()?.sub, alice.userId);
  });

  test('the id token contains what the scopes allow, and userinfo the same', async () => {
    const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const person = { userId: `ETH#USER#${wallet}`, platform: 'ethereum', name: 'wallet' };
    const client = await registerClient(running());
    const config = await discover(client);
    const reported = async (requested: string) => {
      const tokens = await logIn(config, client, { scope: requested }, person);
      const idToken = tokens.claims() ?? {};
      const info: Record<string, unknown> = await oidc.fetchUserInfo(config, tokens.access_token, person.userId);
      return ['name', 'preferred_username', 'address', 'chain', 'wallets'].flatMap((claim) => {
        assert.deepEqual(Object(idToken)[claim], info[claim], claim);
        return info[claim] === undefined ? [] : [[claim, info[claim]]];
      });
    };
    const own = [
      ['address', { formatted: wallet }],
      ['chain', 'evm:1'],
    ];
    const named = [
      ['name', 'wallet'],
      ['preferred_username', 'wallet'],
    ];
    assert.deepEqual(await reported('openid'), []);
    assert.deepEqual(await reported('openid profile'), named);
    assert.deepEqual(await reported('openid address'), own);
    const wallets = ['wallets', [{ address: wallet, chain: 'evm:1' }]];
    assert.deepEqual(await reported('openid profile user:wallet:read'), [...named, ...own, wallets]);
  });

  test('an application sends a user to log out, who returns to a registered URL', async () => {
    const redirectUris = ['https://app.example/callback', 'http://localhost/bye'];
    const client = await registerClient(running(), { redirectUris, url: 'https://app.example/' });
    const config = await discover(client);
    const browser = openBrowser(running());
    const tokens = await logIn(config, client, {}, alice, browser);
    const leave = (fields: Record<string, string>) =>
      browser.get(oidc.buildEndSessionUrl(config, { id_token_hint: tokens.id_token ?? '', ...fields }).href);
    for (const wrong of ['https://app.example/other', 'https://evil.example/', 'http://localhost:9/by'])
      assert.equal((await leave({ post_logout_redirect_uri: wrong })).status, 400, wrong);
    assert.equal((await leave({ id_token_hint: 'a.b.c' })).status, 400);
    for (const registered of [...redirectUris, 'https://app.example/', 'http://127.0.0.1:3000/bye']) {
      const { proof, action } = pageDataOf((await leave({ post_logout_redirect_uri: registered, state: 'mine' })).text);
      const body = new URLSearchParams({ xsrf: String(proof), logout: 'yes' });
      const { location } = await browser.post(String(action), { body });
      assert.equal(location, `${registered}?state=mine`);
    }
    const again = await browser.get(
      oidc.buildAuthorizationUrl(config, { redirect_uri: client.redirectUri, scope, prompt: 'none' }).href,
    );
    assert.equal(new URL(again.location).searchParams.get('error'), 'login_required');
  });

  test('an application gets its own token, for what it may do and nothing else', async () => {
    const client = await registerClient(running());
    const config = await discover(client);
    const { access_token, scope: granted } = await oidc.clientCredentialsGrant(config, { scope: 'token-gating' });
    assert.equal(granted, 'token-gating');
    const { active, client_id, sub } = await oidc.tokenIntrospection(config, access_token);
    assert.deepEqual([active, client_id, sub], [true, client.id, undefined]);
    for (const forbidden of ['community:write', '$internal', '$all', 'openid', 'nonsense'])
      await assert.rejects(oidc.clientCredentialsGrant(config, { scope: forbidden }), { error: 'invalid_scope' });
  });

  test('an application that was allowed it gets an id token, or a bare access token, without a code', async () => {
    const client = await registerClient(running(), { grantTypes: ['implicit'], clientType: 'public' });
    const config = await discover(client);
    oidc.useIdTokenResponseType(config);
    const nonce = oidc.randomNonce();
    const state = oidc.randomState();
    const forIdToken = oidc.buildAuthorizationUrl(config, { redirect_uri: client.redirectUri, scope, nonce, state });
    const withIdToken = await authorize(running(), openBrowser(running()), forIdToken.href);
    const claims = await oidc.implicitAuthentication(config, withIdToken, nonce, { expectedState: state });
    assert.equal(claims.sub, alice.userId);

    const forToken = new URL(forIdToken);
    forToken.searchParams.set('response_type', 'token');
    forToken.searchParams.delete('nonce');
    const answer = new URLSearchParams(
      (await authorize(running(), openBrowser(running()), forToken.href)).hash.slice(1),
    );
    assert.deepEqual(
      [answer.get('token_type'), answer.get('state'), answer.get('iss'), answer.get('scope')],
      ['Bearer', state, running().url, scope],
    );
    const person = await oidc.fetchUserInfo(config, answer.get('access_token') ?? '', alice.userId);
    assert.equal(person.name, alice.name);
  });

  test('an application that was allowed it exchanges a login of a person for tokens, once', async () => {
    const client = await registerClient(running(), { grantTypes: ['password', 'refresh_token'] });
    const config = await discover(client);
    const password = await loginToken(running(), alice);
    const fields = { username: alice.userId, password, scope };
    const tokens = await oidc.genericGrantRequest(config, 'password', fields);
    assert.equal(tokens.claims()?.sub, alice.userId);
    assert.equal((await oidc.tokenIntrospection(config, tokens.access_token)).active, true);
    assert.ok((await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token);
    await assert.rejects(oidc.genericGrantRequest(config, 'password', fields), { error: 'invalid_grant' });
    const another = { ...fields, username: 'DIS#USER#666', password: await loginToken(running(), alice) };
    await assert.rejects(oidc.genericGrantRequest(config, 'password', another), { error: 'invalid_grant' });
  });

  test('a key is replaced without a restart, and its earlier signatures stay verifiable', async () => {
    const client = await registerClient(running());
    const config = await discover(client);
    const before = await logIn(config, client);
    const { kid } = await rotateKey(running().services, 'jwt');
    const after = await logIn(await discover(client), client);
    const headerOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    assert.deepEqual([headerOf(after.id_token).alg, headerOf(after.id_token).kid], ['ES256', kid]);
    const { keys } = (await running().request('GET', '/.well-known/jwks.json')).json;
    const kids = keys.map((key: { kid: string }) => key.kid);
    assert.ok(kids.includes(kid) && kids.includes(headerOf(before.id_token).kid));
  });
}
