import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oauth from 'oauth4webapi';
import type { TestServer } from '../harness/test-server.ts';
import { alice, authorize, loginToken, openBrowser } from './browser.ts';
import { registerClient, type SampleClient } from './sample-client.ts';

// The test server has no certificate.
const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** What oauth4webapi, a second certified client library, can do with this server. */
export function oauth4webapiSuite(running: () => TestServer): void {
  async function discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(running().url);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  }

  function proofOf({ secret }: SampleClient, kind: 'basic' | 'post' | 'none'): oauth.ClientAuth {
    if (secret === undefined || kind === 'none') return oauth.None();
    return kind === 'basic' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
  }

  async function comeBack(as: oauth.AuthorizationServer, { id, redirectUri }: SampleClient) {
    const verifier = oauth.generateRandomCodeVerifier();
    const nonce = oauth.generateRandomNonce();
    const state = oauth.generateRandomState();
    const address = new URL(as.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: id,
      redirect_uri: redirectUri,
      scope: 'openid profile',
      nonce,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    return { verifier, nonce, state, back: await authorize(running(), openBrowser(running()), address.href) };
  }

  for (const kind of ['none', 'basic', 'post'] as const) {
    test(`oauth4webapi completes a login with client authentication ${kind}`, async () => {
      const sample = await registerClient(running(), { clientType: kind === 'none' ? 'public' : 'confidential' });
      const as = await discover();
      const client: oauth.Client = { client_id: sample.id };
      const proof = proofOf(sample, kind);
      const { verifier, nonce, state, back } = await comeBack(as, sample);
      const params = oauth.validateAuthResponse(as, client, back, state);
      const request = oauth.authorizationCodeGrantRequest(
        ...([as, client, proof, params, sample.redirectUri, verifier, insecure] as const),
      );
      const answer = await request;
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(as, answer, insecure);
      assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, alice.userId);

      const person = await oauth.userInfoRequest(as, client, tokens.access_token, insecure);
      assert.equal((await oauth.processUserInfoResponse(as, client, alice.userId, person)).name, alice.name);

      const refreshing = oauth.refreshTokenGrantRequest(as, client, proof, tokens.refresh_token ?? '', insecure);
      const refreshed = await oauth.processRefreshTokenResponse(as, client, await refreshing);
      assert.ok(refreshed.refresh_token);

      const requested = await oauth.introspectionRequest(as, client, proof, refreshed.access_token, insecure);
      assert.equal((await oauth.processIntrospectionResponse(as, client, requested)).active, true);
      const revoked = await oauth.revocationRequest(as, client, proof, refreshed.access_token, insecure);
      assert.equal(await oauth.processRevocationResponse(revoked), undefined);
      const again = await oauth.introspectionRequest(as, client, proof, refreshed.access_token, insecure);
      assert.equal((await oauth.processIntrospectionResponse(as, client, again)).active, false);
    });
  }

  test('oauth4webapi gets a token for an application itself', async () => {
    const sample = await registerClient(running());
    const as = await discover();
    const client: oauth.Client = { client_id: sample.id };
    const request = oauth.clientCredentialsGrantRequest(
      ...([as, client, proofOf(sample, 'basic'), { scope: 'token-gating' }, insecure] as const),
    );
    const { scope } = await oauth.processClientCredentialsResponse(as, client, await request);
    assert.equal(scope, 'token-gating');
  });

  test('oauth4webapi exchanges a login of a person for tokens, if the application was allowed it', async () => {
    const sample = await registerClient(running(), { grantTypes: ['password', 'refresh_token'] });
    const as = await discover();
    const client: oauth.Client = { client_id: sample.id };
    const password = await loginToken(running(), alice);
    const fields = { username: alice.userId, password, scope: 'openid profile' };
    const request = oauth.genericTokenEndpointRequest(
      ...([as, client, proofOf(sample, 'basic'), 'password', fields, insecure] as const),
    );
    const tokens = await oauth.processGenericTokenEndpointResponse(as, client, await request);
    assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, alice.userId);
  });

  test('oauth4webapi takes a bare access token and an id token without a code, if the application was allowed it', async () => {
    const sample = await registerClient(running(), { grantTypes: ['implicit'], clientType: 'public' });
    const as = await discover();
    const client: oauth.Client = { client_id: sample.id };
    const answers = ['token', 'id_token'].map(async (response_type) => {
      const address = new URL(as.authorization_endpoint ?? '');
      const nonce: Record<string, string> = response_type === 'token' ? {} : { nonce: oauth.generateRandomNonce() };
      const requested = {
        response_type,
        client_id: sample.id,
        redirect_uri: sample.redirectUri,
        scope: 'openid profile',
      };
      address.search = new URLSearchParams({ ...requested, ...nonce, state: 'mine' }).toString();
      const back = await authorize(running(), openBrowser(running()), address.href);
      const fragment = new URLSearchParams(back.hash.slice(1));
      assert.equal(fragment.get('state'), 'mine');
      return fragment;
    });
    const [bare, signed] = await Promise.all(answers);
    // An id token itself names its issuer (RFC 9207, 2.4).
    assert.equal(bare?.get('iss'), as.issuer);
    const person = await oauth.userInfoRequest(as, client, bare?.get('access_token') ?? '', insecure);
    assert.equal((await oauth.processUserInfoResponse(as, client, alice.userId, person)).name, alice.name);
    assert.equal(signed?.get('id_token')?.split('.').length, 3);
    assert.equal(signed?.get('access_token'), null);
  });

  test('a response that names another issuer is detected by the client, which prevents mix-up attacks', async () => {
    const sample = await registerClient(running());
    const as = await discover();
    const { state, back } = await comeBack(as, sample);
    const client: oauth.Client = { client_id: sample.id };
    back.searchParams.set('iss', 'https://attacker.example');
    assert.throws(() => oauth.validateAuthResponse(as, client, back, state), oauth.OperationProcessingError);
    back.searchParams.delete('iss');
    assert.throws(() => oauth.validateAuthResponse(as, client, back, state), oauth.OperationProcessingError);
  });
}
