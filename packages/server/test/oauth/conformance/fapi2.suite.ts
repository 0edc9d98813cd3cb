import assert from 'node:assert/strict';
import { before, mock, test } from 'node:test';
import { UnsecuredJWT } from 'jose';
import type { TestServer } from '../../harness/test-server.ts';
import { alice } from '../browser.ts';
import { challengeOf } from '../flow.ts';
import { type Changes, FapiClient, type Key, newKey, thumbprintOf } from './fapi-client.ts';

const seconds = () => Math.floor(Date.now() / 1000);

/** Runs with a clock that is ahead. */
async function later<T>(aheadSeconds: number, work: () => Promise<T>): Promise<T> {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + aheadSeconds * 1000 });
  try {
    return await work();
  } finally {
    mock.timers.reset();
  }
}

/**
 * The modules of the plan for the FAPI 2.0 Security Profile, with private_key_jwt, DPoP and OpenID Connect. Each test has
 * the name of its module; docs/openid-conformance.md lists them.
 */
export function fapi2Suite(running: () => TestServer): void {
  let client: FapiClient;
  let other: FapiClient;
  let rsa: Key;
  before(async () => {
    client = await FapiClient.register(running());
    other = await FapiClient.register(running());
    rsa = await newKey('RS256');
  });

  test('fapi2-security-profile-final-discovery-end-point-verification: the metadata lists what FAPI 2.0 needs', async () => {
    const { json } = await running().request('GET', '/.well-known/openid-configuration');
    assert.equal(json.pushed_authorization_request_endpoint, `${running().url}/oauth2/par`);
    assert.equal(json.authorization_response_iss_parameter_supported, true);
    for (const [field, required] of [
      ['token_endpoint_auth_methods_supported', 'private_key_jwt'],
      ['token_endpoint_auth_signing_alg_values_supported', 'ES256'],
      ['dpop_signing_alg_values_supported', 'ES256'],
      ['code_challenge_methods_supported', 'S256'],
      ['request_object_signing_alg_values_supported', 'PS256'],
      ['authorization_signing_alg_values_supported', 'ES256'],
      ['response_modes_supported', 'jwt'],
    ] as const)
      assert.ok(json[field].includes(required), `${field} lacks ${required}`);
    for (const field of ['token_endpoint_auth', 'dpop', 'request_object'])
      for (const weak of ['none', 'RS256', 'HS256'])
        assert.equal(json[`${field}_signing_alg_values_supported`].includes(weak), false, `${field} ${weak}`);
  });

  test('fapi2-security-profile-final-happy-flow: a pushed request leads to tokens that are bound to the key of the proof', async () => {
    const { status, json, headers } = await client.push();
    assert.equal(status, 201);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.match(json.request_uri, /^urn:ietf:params:oauth:request_uri:\S{22,}$/);
    assert.ok(json.expires_in >= 5 && json.expires_in < 600, json.expires_in);
    const { code, pushed, back } = await client.getCode();
    assert.equal(back.searchParams.get('iss'), client.as.issuer);
    assert.equal(back.searchParams.get('state'), pushed.state);
    const { json: tokens } = await client.exchange(code, pushed);
    assert.equal(tokens.token_type, 'DPoP');
    assert.equal((await client.verifyIdToken(tokens.id_token, pushed.nonce)).sub, alice.userId);
    const person = await client.call('/oauth2/userinfo', tokens.access_token);
    assert.deepEqual([person.status, person.json.sub], [200, alice.userId]);
    assert.equal((await client.call('/account/me', tokens.access_token)).status, 200);
    const introspected = await client.post(String(client.as.introspection_endpoint), { token: tokens.access_token });
    assert.deepEqual(introspected.json.cnf, { jkt: await thumbprintOf(client.dpopKey) });
    const revoked = await client.post(String(client.as.revocation_endpoint), { token: tokens.access_token });
    assert.equal(revoked.status, 200);
    assert.equal((await client.call('/account/me', tokens.access_token)).status, 401);
  });

  test('fapi2-security-profile-final-user-rejects-authentication: a user who declines is sent back with access_denied', async () => {
    const own = await FapiClient.register(running());
    const pushed = await own.pushed();
    const back = await own.authorize(pushed, {}, { denies: true });
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('state'), pushed.state);
    assert.equal(back.searchParams.get('iss'), own.as.issuer);
  });

  const succeeds = (name: string, sentence: string, fields: () => Record<string, string | undefined>) =>
    test(`${name}: ${sentence}`, async () => {
      const { code, pushed, back } = await client.getCode(fields());
      assert.equal(back.searchParams.get('state') ?? undefined, pushed.state);
      const { json } = await client.exchange(code, pushed);
      await client.verifyIdToken(json.id_token, pushed.nonce);
    });
  const long = (length: number) => 'n'.repeat(length);
  succeeds(
    'fapi2-security-profile-final-ensure-authorization-request-without-state-success',
    'state is optional',
    () => ({
      state: undefined,
    }),
  );
  succeeds(
    'fapi2-security-profile-final-ensure-authorization-request-without-nonce-success',
    'nonce is optional',
    () => ({
      nonce: undefined,
    }),
  );
  succeeds(
    'fapi2-security-profile-final-ensure-authorization-request-with-64-char-nonce-success',
    'a nonce of 64 characters is returned',
    () => ({
      nonce: long(64),
    }),
  );
  succeeds(
    'fapi2-security-profile-final-ensure-authorization-request-with-long-nonce',
    'a nonce of 384 characters is returned',
    () => ({
      nonce: long(384),
    }),
  );
  succeeds(
    'fapi2-security-profile-final-ensure-authorization-request-with-long-state',
    'a state of 1,000 characters is returned',
    () => ({
      state: long(1_000),
    }),
  );
  succeeds(
    'fapi2-security-profile-final-ensure-other-scope-order-succeeds',
    'the order of scopes does not matter',
    () => ({
      scope: 'user:read openid',
    }),
  );
  succeeds(
    'fapi2-security-profile-final-test-claims-parameter-identity-claims',
    'a request with claims succeeds',
    () => ({
      claims: JSON.stringify({ id_token: { name: null } }),
    }),
  );

  const outside = (name: string, sentence: string, field: 'state' | 'nonce', pushes: boolean) =>
    test(`${name}: ${sentence}`, async () => {
      const pushed = await client.pushed(pushes ? {} : { [field]: undefined });
      const back = await client.authorize(pushed, { [field]: 'outside' });
      assert.equal(back.searchParams.get('state') ?? undefined, pushed.state);
      const { json } = await client.exchange(back.searchParams.get('code'), pushed);
      await client.verifyIdToken(json.id_token, pushed.nonce);
    });
  outside(
    'fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object',
    'the pushed nonce counts',
    'nonce',
    true,
  );
  outside(
    'fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object',
    'the pushed state counts',
    'state',
    true,
  );
  outside(
    'fapi2-security-profile-final-state-only-outside-request-object-not-used',
    'a state that was not pushed is not used',
    'state',
    false,
  );

  test('fapi2-security-profile-final-access-token-type-header-case-sensitivity: the name of the scheme may have any case', async () => {
    const { access_token: token } = await client.logIn();
    for (const scheme of ['DPoP', 'dpop', 'DPOP'])
      for (const path of ['/account/me', '/oauth2/userinfo'])
        assert.equal((await client.call(path, token, { scheme })).status, 200, `${scheme} ${path}`);
  });

  const acceptsProof = (name: string, sentence: string, proof: () => Record<string, unknown>) =>
    test(`${name}: ${sentence}`, async () => {
      const { code, pushed } = await client.getCode();
      const { status, json } = await client.exchange(code, pushed, {}, { proof: proof() });
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal((await client.call('/account/me', json.access_token, { proof: proof() })).status, 200);
    });
  acceptsProof('fapi2-security-profile-final-check-dpop-proof-nbf-exp', 'a proof may have nbf and exp', () => ({
    nbf: seconds(),
    exp: seconds() + 300,
  }));
  acceptsProof(
    'fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds',
    'a proof may be 10 seconds old',
    () => ({
      iat: seconds() - 10,
    }),
  );
  acceptsProof(
    'fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds',
    'the clock of a client may be 10 seconds ahead',
    () => ({
      iat: seconds() + 10,
    }),
  );

  test('fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails: a dpop_jkt of another key than the proof is refused', async () => {
    const { status, json } = await client.push({ dpop_jkt: await thumbprintOf(other.dpopKey) });
    assert.deepEqual([status, json.error], [400, 'invalid_request']);
  });

  const boundToKey = (
    name: string,
    sentence: string,
    changesOf: () => Changes,
    fieldsOf: () => Promise<Record<string, string>>,
  ) =>
    test(`${name}: ${sentence}`, async () => {
      const { code, pushed } = await client.getCode(await fieldsOf(), changesOf());
      const { status, json } = await client.exchange(code, pushed, {}, { proofKey: other.dpopKey });
      assert.deepEqual([status, json.error], [400, 'invalid_grant']);
    });
  boundToKey(
    'fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt',
    'a code that was requested with a proof needs the same key',
    () => ({}),
    async () => ({}),
  );
  boundToKey(
    'fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt',
    'a code that was requested with dpop_jkt needs that key',
    () => ({ proof: null }),
    async () => ({
      dpop_jkt: await thumbprintOf(client.dpopKey),
    }),
  );

  const bindsCode = (
    name: string,
    sentence: string,
    changesOf: () => Changes,
    fieldsOf: () => Promise<Record<string, string>>,
  ) =>
    test(`${name}: ${sentence}`, async () => {
      const { code, pushed } = await client.getCode(await fieldsOf(), changesOf());
      assert.equal((await client.exchange(code, pushed)).status, 200);
    });
  bindsCode(
    'fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success',
    'a proof at the endpoint for pushed requests binds the code',
    () => ({}),
    async () => ({}),
  );
  bindsCode(
    'fapi2-security-profile-final-ensure-dpop-auth-code-binding-success',
    'dpop_jkt binds the code',
    () => ({ proof: null }),
    async () => ({
      dpop_jkt: await thumbprintOf(client.dpopKey),
    }),
  );

  const refusesPush = (
    name: string,
    sentence: string,
    fields: Record<string, string | undefined>,
    errors: readonly string[],
  ) =>
    test(`${name}: ${sentence}`, async () => {
      const { status, json } = await client.push(fields);
      assert.equal(status, 400, JSON.stringify(json));
      assert.ok(errors.includes(json.error), json.error);
    });
  refusesPush(
    'fapi2-security-profile-final-ensure-request-object-without-redirect-uri-fails',
    'a request needs a redirect URI',
    { redirect_uri: undefined },
    ['invalid_request'],
  );
  refusesPush(
    'fapi2-security-profile-final-ensure-redirect-uri-in-authorization-request',
    'the redirect URI must be in the request, even if there is only one',
    { redirect_uri: undefined },
    ['invalid_request'],
  );
  refusesPush(
    'fapi2-security-profile-final-ensure-registered-redirect-uri',
    'another redirect URI is refused',
    { redirect_uri: 'https://rp.example/fapi/other' },
    ['invalid_request'],
  );
  refusesPush(
    'fapi2-security-profile-final-ensure-response-type-code-idtoken-fails',
    'no id token is returned to the browser',
    { response_type: 'code id_token' },
    ['unsupported_response_type', 'unauthorized_client', 'invalid_request'],
  );
  refusesPush(
    'fapi2-security-profile-final-ensure-response-type-token-fails',
    'no access token is returned to the browser',
    { response_type: 'token' },
    ['unsupported_response_type', 'unauthorized_client', 'invalid_request'],
  );
  refusesPush(
    'fapi2-security-profile-final-par-ensure-pkce-required',
    'PKCE is required',
    { code_challenge: undefined, code_challenge_method: undefined },
    ['invalid_request'],
  );
  refusesPush(
    'fapi2-security-profile-final-par-plain-pkce-rejected',
    'PKCE with plain is refused',
    { code_challenge_method: 'plain' },
    ['invalid_request'],
  );
  refusesPush(
    'fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param',
    'a pushed request has no request_uri',
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
    ['invalid_request', 'request_uri_not_supported', 'invalid_request_uri'],
  );

  test('fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails: a request that was not pushed is refused', async () => {
    const address = `/oauth2/authorize?${new URLSearchParams({
      client_id: client.id,
      response_type: 'code',
      redirect_uri: client.redirectUri,
      scope: 'openid',
      state: 's',
      code_challenge: challengeOf('v'.repeat(43)),
      code_challenge_method: 'S256',
    })}`;
    const { location } = await client.browser.get(address);
    assert.equal(new URL(location).searchParams.get('error'), 'invalid_request');
  });

  test('fapi2-security-profile-final-ensure-client-id-in-token-endpoint: the client id of another application is refused', async () => {
    const { code, pushed } = await client.getCode();
    const { status, json } = await client.exchange(code, pushed, { client_id: other.id });
    assert.ok([400, 401].includes(status) && ['invalid_request', 'invalid_client'].includes(json.error), json.error);
  });

  test('fapi2-security-profile-final-ensure-holder-of-key-required: no token is issued without a proof', async () => {
    const { code, pushed } = await client.getCode();
    const { status, json } = await client.exchange(code, pushed, {}, { proof: null });
    assert.equal(status, 400);
    assert.ok(['invalid_grant', 'invalid_request', 'invalid_dpop_proof'].includes(json.error), json.error);
  });

  test('fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client: a code of another application is refused', async () => {
    const { code, pushed } = await client.getCode();
    const { status, json } = await other.exchange(code, pushed);
    assert.deepEqual([status, json.error], [400, 'invalid_grant']);
  });

  test('fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second: a code works once, and a second use ends the token', async () => {
    const { code, pushed } = await client.getCode();
    const { json } = await client.exchange(code, pushed);
    const again = await client.exchange(code, pushed);
    assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant']);
    assert.equal((await client.call('/account/me', json.access_token)).status, 401);
  });

  test('fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code: a code expires after a minute', async () => {
    const { code, pushed } = await client.getCode();
    const { status, json } = await later(61, () => client.exchange(code, pushed));
    assert.deepEqual([status, json.error], [400, 'invalid_grant']);
  });

  const refusesAssertion = (name: string, sentence: string, changesOf: () => Changes) =>
    test(`${name}: ${sentence}`, async () => {
      const { code, pushed } = await client.getCode();
      const { status, json } = await client.exchange(code, pushed, {}, changesOf());
      assert.ok([400, 401].includes(status), `${status}`);
      assert.equal(json.error, 'invalid_client');
      const pushedToo = await client.push({}, changesOf());
      assert.equal(pushedToo.json.error, 'invalid_client');
    });
  refusesAssertion(
    'fapi2-security-profile-final-ensure-signed-client-assertion-with-RS256-fails',
    'an assertion signed with RS256 is refused',
    () => ({ assertionKey: rsa }),
  );
  refusesAssertion(
    'fapi2-security-profile-final-ensure-client-assertion-with-exp-is-5-minutes-in-past-fails',
    'an expired assertion is refused',
    () => ({
      assertion: { iat: seconds() - 360, nbf: seconds() - 360, exp: seconds() - 300 },
    }),
  );
  refusesAssertion(
    'fapi2-security-profile-final-ensure-client-assertion-with-wrong-aud-fails',
    'an assertion for another server is refused',
    () => ({
      assertion: { aud: 'https://other.example' },
    }),
  );
  refusesAssertion(
    'fapi2-security-profile-final-ensure-client-assertion-with-no-sub-fails',
    'an assertion without a subject is refused',
    () => ({
      assertion: { sub: undefined },
    }),
  );
  refusesAssertion(
    'fapi2-security-profile-final-par-test-array-as-audience-fails',
    'a list of audiences is refused',
    () => ({
      assertion: { aud: [client.as.issuer, client.as.token_endpoint] },
    }),
  );
  refusesAssertion(
    'fapi2-security-profile-final-par-test-par-endpoint-url-as-audience-fails',
    'the endpoint for pushed requests is no audience',
    () => ({
      assertion: { aud: client.as.pushed_authorization_request_endpoint },
    }),
  );
  refusesAssertion(
    'fapi2-security-profile-final-par-test-token-endpoint-url-as-audience-fails',
    'the token endpoint is no audience',
    () => ({
      assertion: { aud: client.as.token_endpoint },
    }),
  );
  refusesAssertion(
    'fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails',
    'an assertion that is valid later is refused',
    () => ({
      assertion: { iat: seconds() + 65, nbf: seconds() + 65, exp: seconds() + 125 },
    }),
  );

  test('fapi2-security-profile-final-par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted: the clock of a client may be 8 seconds ahead', async () => {
    await client.pushed({}, { assertion: { iat: seconds() + 8, nbf: seconds() + 8, exp: seconds() + 68 } });
  });

  test('fapi2-security-profile-final-ensure-client-assertion-in-token-endpoint: no token is issued without an assertion, nor for one that was used', async () => {
    const { code, pushed } = await client.getCode();
    const missing = await client.exchange(code, pushed, {
      client_id: client.id,
      client_assertion: undefined,
      client_assertion_type: undefined,
    });
    assert.ok(['invalid_client', 'invalid_request'].includes(missing.json.error), missing.json.error);
    const assertion = await client.assertion();
    const refresh = { grant_type: 'client_credentials', client_assertion: assertion };
    const tries = await Promise.all(Array.from({ length: 5 }, () => client.token(refresh)));
    assert.ok(tries.filter(({ status }) => status === 200).length <= 1, 'it was used more than once');
    assert.ok(tries.some(({ json }) => json.error === 'invalid_client'));
    const lasting = await client.token(
      { grant_type: 'client_credentials' },
      { assertion: { exp: seconds() + 86_400 } },
    );
    assert.equal(
      lasting.json.error,
      'invalid_client',
      'an assertion that is valid for a day would be remembered for one',
    );
  });

  test('fapi2-security-profile-final-dpop-negative-tests: a token is refused without the right proof, by userinfo and by the API', async () => {
    const { access_token: token } = await client.logIn();
    const fresh = async (changes: Changes = {}) =>
      client.proof('GET', `${client.as.issuer}/account/me`, changes, token);
    for (const path of ['/account/me', '/oauth2/userinfo']) {
      const wrong: Record<string, Changes & { scheme?: string }> = {
        'as Bearer': { scheme: 'Bearer', proof: null },
        'as Bearer, with a proof': { scheme: 'Bearer' },
        'no proof': { proof: null },
        'two proofs': { headers: { dpop: `${await fresh()}, ${await fresh()}` } },
        'not a JWT': { headers: { dpop: 'not.a.jwt' } },
        'no typ': { proofHeader: { typ: undefined } },
        'another typ': { proofHeader: { typ: 'JWT' } },
        'no jwk': { proofHeader: { jwk: undefined } },
        'another key': { proofKey: other.dpopKey },
        'signed with RS256': { proofKey: rsa },
        'no jti': { proof: { jti: undefined } },
        'no htm': { proof: { htm: undefined } },
        'no htu': { proof: { htu: undefined } },
        'no iat': { proof: { iat: undefined } },
        'no ath': { proof: { ath: undefined } },
        'another method': { proof: { htm: 'POST' } },
        'another address': { proof: { htu: `${client.as.issuer}/other` } },
        'another token': { proof: { ath: 'x'.repeat(43) } },
        'an old proof': { proof: { iat: seconds() - 3_600, nonce: undefined } },
      };
      for (const [what, changes] of Object.entries(wrong)) {
        const { status } = await client.call(path, token, changes);
        assert.ok([400, 401].includes(status), `${path}, ${what}: ${status}`);
      }
      const url = `${client.as.issuer}${path}`;
      const once = await client.proof('GET', url, {}, token);
      assert.equal((await client.call(path, token, { headers: { dpop: once } })).status, 200);
      assert.equal((await client.call(path, token, { headers: { dpop: once } })).status, 401, 'the same proof again');
      const query = await client.call(`${path}?x=1`, token);
      assert.equal(query.status, path === '/account/me' ? query.status : 200, 'a query is not part of htu');
      const extra = await client.call(path, token, { proof: { htu: `${url}?x=1#y` } });
      assert.equal(extra.status, 200, 'nor is one in the proof');
    }
    const unbound = await running().bearer(alice.userId, ['user:read']);
    const bearer = unbound.replace(/^Bearer /, '');
    assert.equal((await client.call('/account/me', bearer)).status, 401, 'a token that is not bound needs no proof');
  });

  test('fapi2-security-profile-final-refresh-token: a refresh token needs the assertion and a proof of the same application', async () => {
    const { refresh_token: token } = await client.logIn();
    const refresh = { grant_type: 'refresh_token', refresh_token: token };
    assert.equal((await other.token(refresh)).json.error, 'invalid_grant');
    const first = await client.token(refresh);
    assert.deepEqual([first.status, first.json.token_type], [200, 'DPoP']);
    assert.equal((await client.call('/account/me', first.json.access_token)).status, 200);
    const again = await client.token(refresh);
    assert.equal(again.status, 200, 'without rotation, as FAPI 2.0 wants it');
    assert.equal((await client.token(refresh, { proof: null })).status, 400);
  });

  test('fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds: a page can be reloaded before the user decides', async () => {
    const own = await FapiClient.register(running());
    const pushed = await own.pushed();
    for (let n = 0; n < 2; n += 1)
      assert.match((await own.browser.get(own.addressOf(pushed.requestUri))).location, /\/login\//);
    const back = await own.authorize(pushed);
    assert.equal((await own.exchange(back.searchParams.get('code'), pushed)).status, 200);
  });

  test('fapi2-security-profile-final-par-attempt-reuse-request_uri: a pushed request is answered once', async () => {
    const pushed = await client.pushed();
    assert.ok((await client.authorize(pushed)).searchParams.get('code'));
    const again = await client.browser.get(client.addressOf(pushed.requestUri), { accept: 'application/json' });
    assert.match(`${again.location}${again.text}`, /invalid_request_uri/);
    assert.doesNotMatch(again.location, /[?&]code=/);
  });

  test('fapi2-security-profile-final-par-attempt-to-use-expired-request_uri: a pushed request expires', async () => {
    const { requestUri } = await client.pushed();
    const answer = await later(75, () =>
      client.browser.get(client.addressOf(requestUri), { accept: 'application/json' }),
    );
    assert.match(`${answer.location}${answer.text}`, /invalid_request_uri|invalid_request_object/);
  });

  test('fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client: a pushed request belongs to its application', async () => {
    const { requestUri } = await client.pushed();
    const address = client.addressOf(requestUri, { client_id: other.id });
    const answer = await client.browser.get(address, { accept: 'application/json' });
    assert.match(`${answer.location}${answer.text}`, /invalid_request/);
    assert.doesNotMatch(answer.location, /[?&]code=/);
  });

  test('fapi2-security-profile-final-par-attempt-invalid-http-method: requests are pushed with POST only', async () => {
    const url = String(client.as.pushed_authorization_request_endpoint);
    for (const method of ['GET', 'PUT']) {
      const { status } = await fetch(url, { method });
      assert.ok([404, 405].includes(status), `${method} ${status}`);
    }
  });

  test('fapi2-security-profile-final-ensure-pkce-code-verifier-required: a code needs its verifier', async () => {
    const { code, pushed } = await client.getCode();
    const { status, json } = await client.exchange(code, pushed, { code_verifier: undefined });
    assert.deepEqual([status, json.error], [400, 'invalid_grant']);
  });

  test('fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected: another verifier is refused', async () => {
    const { code, pushed } = await client.getCode();
    const { status, json } = await client.exchange(code, pushed, { code_verifier: 'w'.repeat(43) });
    assert.deepEqual([status, json.error], [400, 'invalid_grant']);
  });

  test('fapi2-security-profile-final-par-without-duplicate-parameters: only the client id and request_uri are needed', async () => {
    const pushed = await client.pushed();
    const back = await client.authorize(pushed);
    assert.equal((await client.exchange(back.searchParams.get('code'), pushed)).status, 200);
  });

  test('an application of the profile cannot use its secret, and its redirect URIs have no lenient loopback', async () => {
    const { json } = await client.token({
      grant_type: 'client_credentials',
      client_id: client.id,
      client_secret: 'secret',
      client_assertion: undefined,
      client_assertion_type: undefined,
    });
    assert.equal(json.error, 'invalid_client');
  });

  test('an unsigned request object is refused, with or without PAR', async () => {
    const object = (parameters: Record<string, unknown>) =>
      Promise.resolve(
        new UnsecuredJWT(parameters)
          .setIssuer(client.id)
          .setAudience(client.as.issuer)
          .setExpirationTime('1m')
          .encode(),
      );
    const { status, json } = await client.push({}, { object });
    assert.deepEqual([status, json.error], [400, 'invalid_request_object']);
  });
}
