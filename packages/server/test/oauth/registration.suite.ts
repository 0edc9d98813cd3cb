import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as oauth from 'oauth4webapi';
import type { TestServer } from '../harness/test-server.ts';
import { alice, authorize, openBrowser } from './browser.ts';
import { newKey } from './conformance/fapi-client.ts';
import { exchange, getCode, post } from './flow.ts';
import { serveWith } from './other-settings.ts';
import { registerClient } from './sample-client.ts';

const insecure = { [oauth.allowInsecureRequests]: true } as const;
const metadata = {
  client_name: 'An agent',
  redirect_uris: ['https://agent.example/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/**
 * How programs find this server and register themselves, without OpenID Connect: RFC 8414, 9728, 8707, 7591 and 7592.
 * The server runs with LATCHKEY_CLIENT_REGISTRATION.
 */
export function registrationSuite(running: () => TestServer): void {
  const send = (method: string, path: string, json?: unknown, token?: string) =>
    running().request(method, path, {
      ...(json !== undefined && { json }),
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    });

  test('a program that knows only the address of the API finds out where to sign in, registers, and signs its user in', async () => {
    const refused = await fetch(`${running().url}/account/me`);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const [, where = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const resource = await (await fetch(where)).json();
    assert.equal(resource.resource, running().url);
    const issuer = new URL(resource.authorization_servers[0]);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, found);
    assert.equal(as.registration_endpoint, `${running().url}/oauth2/register`);
    const registering = await oauth.dynamicClientRegistrationRequest(as, metadata, insecure);
    const client = await oauth.processDynamicClientRegistrationResponse(registering);
    assert.deepEqual([client.client_secret, client.id_token_signed_response_alg], [undefined, 'RS256']);

    const verifier = oauth.generateRandomCodeVerifier();
    const address = new URL(as.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: 'https://agent.example/callback',
      scope: 'openid user:read',
      resource: `${running().url}/mcp`,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const back = await authorize(running(), openBrowser(running()), address.href);
    const params = oauth.validateAuthResponse(as, client, back, oauth.expectNoState);
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([as, client, oauth.None(), params, 'https://agent.example/callback', verifier] as const),
      { ...insecure, additionalParameters: { resource: `${running().url}/mcp` } },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer);
    assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.sub, alice.userId);
    const me = await send('GET', '/account/me', undefined, tokens.access_token);
    assert.equal(me.status, 200, me.text);
  });

  test('the metadata has the same content under the name of RFC 8414, and no registration when the operator forbids it', async () => {
    const [open, same] = await Promise.all(
      ['openid-configuration', 'oauth-authorization-server'].map((name) => send('GET', `/.well-known/${name}`)),
    );
    assert.deepEqual(open?.json, same?.json);
    const closed = serveWith(running(), { clientRegistration: { isOpen: false, scopes: [] } });
    const hidden = await closed.inject('/.well-known/oauth-authorization-server');
    assert.equal(hidden.json().registration_endpoint, undefined);
    const refused = await closed.inject({ method: 'POST', url: '/oauth2/register', payload: metadata });
    assert.deepEqual([refused.statusCode, refused.json().error], [403, 'access_denied']);
    await closed.close();
  });

  test('a registration is read, replaced and deleted with its own token, which is the only thing that can', async () => {
    const created = await send('POST', '/oauth2/register', {
      ...metadata,
      token_endpoint_auth_method: 'client_secret_basic',
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers.get('cache-control'), 'no-store');
    const {
      client_id: id,
      client_secret: secret,
      client_secret_expires_at: _,
      registration_access_token: token,
      ...shown
    } = created.json;
    const path = new URL(created.json.registration_client_uri).pathname;
    assert.equal(path, `/oauth2/register/${id}`);
    const read = await send('GET', path, undefined, token);
    assert.deepEqual(read.json, { ...shown, client_id: id }, 'the secret is shown once');

    const other = (await send('POST', '/oauth2/register', metadata)).json;
    for (const wrong of [other.registration_access_token, secret, 'x', ''])
      for (const [method, json] of [
        ['GET', undefined],
        ['PUT', metadata],
        ['DELETE', undefined],
      ] as const) {
        const refused = await send(method, path, json, wrong);
        assert.deepEqual([refused.status, refused.json.error], [401, 'invalid_token'], method);
      }
    assert.equal((await send('GET', '/oauth2/register/unknown', undefined, token)).status, 401, 'as for a missing one');

    const changed = { ...metadata, token_endpoint_auth_method: 'client_secret_basic', client_name: 'Renamed' };
    assert.equal((await send('PUT', path, { ...changed, client_id: id }, token)).json.client_name, 'Renamed');
    assert.equal((await send('PUT', path, { ...changed, client_id: other.client_id }, token)).status, 400);
    assert.equal((await send('PUT', path, metadata, token)).json.error, 'invalid_client_metadata', 'now public');

    const client = { id, secret, redirectUri: 'https://agent.example/callback' };
    const code = await getCode(running(), client, { fields: { scope: 'openid user:read' } });
    const { json: tokens } = await exchange(running(), client, code);
    assert.ok(tokens.access_token);
    assert.equal((await send('DELETE', path, undefined, token)).status, 204);
    assert.equal((await send('GET', path, undefined, token)).status, 401);
    assert.equal((await send('GET', '/account/me', undefined, tokens.access_token)).status, 401);
    assert.equal((await post(running(), client, '/oauth2/introspect', { token: 'x' })).json.error, 'invalid_client');
  });

  test('metadata that this server cannot honour is refused in the words of RFC 7591, and the rest is ignored', async () => {
    const key = await newKey();
    const secretKey = { ...key.jwk, d: 'secret' };
    for (const [change, error] of [
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['http://agent.example/callback'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['https://*.agent.example/'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: 'https://agent.example' }, 'invalid_client_metadata'],
      [{ response_types: ['token'] }, 'invalid_client_metadata'],
      [{ grant_types: ['password'] }, 'invalid_client_metadata'],
      [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
      [{ token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata'],
      [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
      [{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [secretKey] } }, 'invalid_client_metadata'],
      [{ jwks: { keys: 'x' } }, 'invalid_client_metadata'],
      [{ jwks_uri: 'http://agent.example/keys' }, 'invalid_client_metadata'],
      [{ client_name: 7 }, 'invalid_client_metadata'],
      [{ client_name: 'x'.repeat(3_000) }, 'invalid_client_metadata'],
      [{ id_token_signed_response_alg: 'none' }, 'invalid_client_metadata'],
      [{ dpop_bound_access_tokens: 'yes' }, 'invalid_client_metadata'],
    ] as const) {
      const { status, json } = await send('POST', '/oauth2/register', { ...metadata, ...change });
      assert.deepEqual([status, json.error], [400, error], JSON.stringify(change));
      assert.ok(json.error_description);
    }
    for (const body of ['', '[]', '"text"', '{', 'null']) {
      const headers = { 'content-type': 'application/json' };
      const { status, json } = await running().request('POST', '/oauth2/register', { headers, body });
      assert.deepEqual([status, json.error], [400, 'invalid_client_metadata'], body);
    }
    const extra = await send('POST', '/oauth2/register', { ...metadata, software_version: '1', unknown: { a: 1 } });
    assert.equal(extra.status, 201);
    const signing = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
    assert.equal((await send('POST', '/oauth2/register', { ...metadata, ...signing })).status, 201);
  });

  test('a registered application has the scopes that the operator chose, and no others', async () => {
    const { json } = await send('POST', '/oauth2/register', metadata);
    const scopes = json.scope.split(' ');
    assert.ok(scopes.includes('user:read') && !scopes.includes('token-gating'), json.scope);
    const refused = await openBrowser(running()).get(
      `/oauth2/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: json.client_id,
        redirect_uri: 'https://agent.example/callback',
        scope: 'openid token-gating',
        code_challenge: 'c'.repeat(43),
        code_challenge_method: 'S256',
      })}`,
    );
    assert.equal(new URL(refused.location).searchParams.get('error'), 'invalid_scope');
  });

  test('tokens are issued for this server only: another resource is invalid_target', async () => {
    const client = await registerClient(running());
    const credentials = { grant_type: 'client_credentials', scope: 'token-gating' };
    for (const resource of [running().url, `${running().url}/mcp`])
      assert.equal((await post(running(), client, '/oauth2/token', { ...credentials, resource })).status, 200);
    const { status, json } = await post(running(), client, '/oauth2/token', {
      ...credentials,
      resource: 'https://other.example',
    });
    assert.deepEqual([status, json.error], [400, 'invalid_target']);
    const code = await getCode(running(), client, { fields: { resource: running().url } });
    const wrong = await exchange(running(), client, code, { resource: 'https://other.example' });
    assert.equal(wrong.json.error, 'invalid_target');
    assert.equal((await exchange(running(), client, code)).status, 200, 'the code was not used up');
  });
}
