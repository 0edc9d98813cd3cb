import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { decodeProtectedHeader, UnsecuredJWT } from 'jose';
import type { TestServer } from '../../harness/test-server.ts';
import { formAddressOf } from '../browser.ts';
import { registerClient, type SampleClient } from '../sample-client.ts';
import { RelyingParty } from './relying-party.ts';

const formType = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * The modules of the OpenID Foundation's plans Basic OP and, with form_post, Form Post OP. Each test has the name of its
 * module and holds the server to what that module requires; docs/openid-conformance.md lists them.
 */
export function basicOpSuite(running: () => TestServer, mode?: 'form_post'): void {
  let sample: SampleClient;
  let rp: RelyingParty;
  before(async () => {
    sample = await registerClient(running(), { redirectUris: ['https://rp.example/callback'] });
    rp = await RelyingParty.discover(running(), sample, mode);
  });

  const succeedsWith = (name: string, sentence: string, fields: Record<string, string | undefined>) =>
    test(`${name}: ${sentence}`, async () => {
      const own = rp.withStranger();
      await own.userinfo(await own.logIn(fields));
    });

  /** Returns the error of a request that is refused without a redirection or by one, and never with a code. */
  async function refusalOf(address: URL): Promise<string> {
    const answer = await rp.withStranger().browser.get(address.href, { accept: 'application/json' });
    const back = formAddressOf(answer) ?? (answer.location === '' ? undefined : new URL(answer.location));
    assert.equal(back?.searchParams.get('code') ?? null, null);
    return back?.searchParams.get('error') ?? JSON.parse(answer.text).error;
  }

  test('oidcc-server: a code is exchanged for tokens, and userinfo names the same subject and nothing unrequested', async () => {
    const own = rp.withStranger();
    const answered = await own.authorize();
    assert.equal(answered.back.searchParams.get('iss'), own.as.issuer);
    const tokens = await own.exchange(answered);
    assert.deepEqual(Object.keys(await own.userinfo(tokens)), ['sub']);
    assert.equal(tokens.claims.name, undefined);
    assert.equal(tokens.claims.platform, undefined);
  });

  test('oidcc-response-type-missing: a request without response_type is refused', async () => {
    const error = await refusalOf(rp.request({ response_type: undefined }));
    assert.ok(['unsupported_response_type', 'invalid_request'].includes(error), error);
  });

  test('oidcc-idtoken-signature: the id token is signed with a published key that its header names', async () => {
    const { id_token: token } = await rp.logIn();
    const { kid, alg } = decodeProtectedHeader(token);
    const { keys } = (await running().request('GET', '/.well-known/jwks.json')).json;
    const named = keys.filter((key: { kid: string }) => key.kid === kid);
    assert.deepEqual([named.length, named[0]?.alg], [1, alg]);
  });

  test('oidcc-idtoken-unsigned: unsigned id tokens are neither offered nor issued', async () => {
    assert.equal(rp.as.id_token_signing_alg_values_supported?.includes('none'), false);
    assert.notEqual(decodeProtectedHeader((await rp.logIn()).id_token).alg, 'none');
  });

  const userinfoBy = (name: string, sentence: string, initOf: (token: string) => RequestInit) =>
    test(`${name}: ${sentence}`, async () => {
      const tokens = await rp.logIn();
      const answer = await fetch(rp.as.userinfo_endpoint ?? '', initOf(tokens.access_token));
      assert.equal(answer.status, 200);
      assert.equal((await answer.json()).sub, tokens.claims.sub);
    });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  userinfoBy('oidcc-userinfo-get', 'userinfo accepts GET with a header', (token) => ({ headers: bearer(token) }));
  userinfoBy('oidcc-userinfo-post-header', 'userinfo accepts POST with a header', (token) => ({
    method: 'POST',
    headers: bearer(token),
  }));
  userinfoBy('oidcc-userinfo-post-body', 'userinfo accepts POST with the token in the form', (token) => ({
    method: 'POST',
    body: new URLSearchParams({ access_token: token }),
  }));

  succeedsWith(...(['oidcc-ensure-request-without-nonce-succeeds-for-code-flow', 'a nonce is optional'] as const), {
    nonce: undefined,
  });

  const scope = (
    name: string,
    sentence: string,
    { scopes, present, absent }: Record<'present' | 'absent', readonly string[]> & { scopes: string },
  ) =>
    test(`${name}: ${sentence}`, async () => {
      const own = rp.withStranger();
      const claims = await own.userinfo(await own.logIn({ scope: scopes }));
      for (const claim of present) assert.ok(claims[claim] !== undefined, claim);
      for (const claim of absent) assert.equal(claims[claim], undefined, claim);
    });
  scope('oidcc-scope-profile', 'userinfo has the name', {
    scopes: 'openid profile',
    present: ['name', 'preferred_username'],
    absent: ['email', 'address'],
  });
  scope('oidcc-scope-email', 'the scope is accepted, and not offered: this server knows no e-mail address', {
    scopes: 'openid email',
    present: [],
    absent: ['name', 'email'],
  });
  scope('oidcc-scope-address', 'the scope is accepted; only accounts that are a wallet have an address', {
    scopes: 'openid address',
    present: [],
    absent: ['name', 'address'],
  });
  scope('oidcc-scope-phone', 'the scope is accepted, and not offered: this server knows no phone number', {
    scopes: 'openid phone',
    present: [],
    absent: ['name', 'phone_number'],
  });
  scope('oidcc-scope-all', 'all scopes together are accepted', {
    scopes: 'openid profile email address phone',
    present: ['name'],
    absent: ['email', 'phone_number'],
  });

  test('oidcc-alternate-happy-flow: neither the order of scopes nor that of parameters matters', async () => {
    const own = rp.withStranger();
    const reversed = own.request({ scope: 'profile openid', state: 'st', nonce: 'nn' });
    const parameters = [...reversed.searchParams].toReversed();
    const address = `${reversed.origin}${reversed.pathname}?${new URLSearchParams(parameters)}`;
    // Signed in first, so that the reversed request is answered at once.
    await own.logIn({ scope: 'openid profile' });
    const answer = await own.browser.get(address);
    const back = formAddressOf(answer) ?? new URL(answer.location);
    await own.exchange({ back, state: 'st', nonce: 'nn', verifier: undefined });
  });

  succeedsWith('oidcc-display-page', 'display=page is accepted', { display: 'page' });
  succeedsWith('oidcc-display-popup', 'display=popup is accepted', { display: 'popup' });

  test('oidcc-prompt-login: the user signs in again, and auth_time is not older', async () => {
    const own = rp.withStranger();
    const first = await own.logIn({ max_age: '10000' });
    const none = own.request({ prompt: 'login' });
    assert.match((await own.browser.get(none.href)).location, /\/login\//);
    const second = await own.logIn({ prompt: 'login', max_age: '10000' });
    assert.equal(second.claims.sub, first.claims.sub);
    assert.ok(Number(second.claims.auth_time) >= Number(first.claims.auth_time));
  });

  test('oidcc-prompt-none-not-logged-in: prompt=none is login_required for a stranger', async () => {
    assert.equal(await refusalOf(rp.request({ prompt: 'none' })), 'login_required');
  });

  test('oidcc-prompt-none-logged-in: prompt=none succeeds without a page, with the same subject and auth_time', async () => {
    const own = rp.withStranger();
    const first = await own.logIn({ max_age: '10000' });
    const second = await own.logIn({ prompt: 'none', max_age: '10000' });
    assert.deepEqual([second.claims.sub, second.claims.auth_time], [first.claims.sub, first.claims.auth_time]);
  });

  test('oidcc-max-age-1: an older sign-in is repeated, and auth_time says when it was', async () => {
    const own = rp.withStranger();
    const first = await own.logIn();
    await until('the sign-in is older than a second', async () => {
      const { back } = await own.authorize({ prompt: 'none', max_age: '1' });
      return back.searchParams.get('error') === 'login_required';
    });
    const second = await own.logIn({ max_age: '1' });
    assert.equal(second.claims.sub, first.claims.sub);
    assert.ok(Number(second.claims.auth_time) > 0);
  });

  test('oidcc-max-age-10000: a recent sign-in is enough, and auth_time is in the id token', async () => {
    const own = rp.withStranger();
    const first = await own.logIn({ max_age: '10000' });
    const second = await own.logIn({ max_age: '10000', prompt: 'none' });
    assert.equal(second.claims.auth_time, first.claims.auth_time);
  });

  succeedsWith('oidcc-ensure-request-with-unknown-parameter-succeeds', 'unknown parameters are ignored', {
    extra: 'foobar',
  });

  test('oidcc-id-token-hint: a hint that names the signed-in user is answered silently', async () => {
    const own = rp.withStranger();
    const first = await own.logIn();
    const second = await own.logIn({ prompt: 'none', id_token_hint: first.id_token });
    assert.equal(second.claims.sub, first.claims.sub);
  });

  succeedsWith('oidcc-login-hint', 'login_hint is accepted', { login_hint: 'person@rp.example' });
  succeedsWith('oidcc-ui-locales', 'ui_locales is accepted', { ui_locales: 'se' });
  succeedsWith('oidcc-claims-locales', 'claims_locales is accepted', { claims_locales: 'se' });
  succeedsWith('oidcc-ensure-request-with-acr-values-succeeds', 'acr_values is accepted, without an acr', {
    acr_values: '1 2',
  });

  const reuse = (name: string, sentence: string, isUsedBefore: boolean) =>
    test(`${name}: ${sentence}`, async () => {
      const own = rp.withStranger();
      const answered = await own.authorize();
      const tokens = await own.exchange(answered);
      if (isUsedBefore) assert.equal(await own.isActive(tokens.access_token), true);
      await assert.rejects(own.exchange(answered), { error: 'invalid_grant' });
      assert.equal(await own.isActive(tokens.access_token), false);
    });
  reuse('oidcc-codereuse', 'a code works once', false);
  reuse('oidcc-codereuse-30seconds', 'using a code again, later, ends the tokens that it was exchanged for', true);

  test('oidcc-ensure-registered-redirect-uri: another address is refused on a page and never redirected to', async () => {
    for (const redirect of [
      'https://rp.example/callback/unregistered',
      'https://rp.example/callback?x=1',
      'https://localhost/callback',
    ]) {
      const { status, location } = await rp.browser.get(rp.request({ redirect_uri: redirect }).href);
      assert.deepEqual([status, location], [400, ''], redirect);
    }
    const local = await registerClient(running(), { redirectUris: ['https://localhost:8443/callback'] });
    const loopback = await RelyingParty.discover(running(), local);
    const port = loopback.request({ redirect_uri: 'https://localhost:9443/callback' });
    assert.equal((await loopback.browser.get(port.href)).status, 400);
  });

  test('oidcc-ensure-post-request-succeeds: a request can be sent as a form', async () => {
    const own = rp.withStranger();
    await own.logIn();
    const request = own.request({ state: 'st', nonce: 'nn' });
    const posted = await own.browser.post(request.pathname, { headers: formType, body: request.searchParams });
    assert.equal(posted.status, 303);
    const answer = await own.browser.get(posted.location);
    const back = formAddressOf(answer) ?? new URL(answer.location);
    await own.exchange({ back, state: 'st', nonce: 'nn', verifier: undefined });
  });

  test('oidcc-server-client-secret-post: the secret can be sent in the form', async () => {
    const own = rp.withStranger();
    await own.userinfo(await own.exchange(await own.authorize(), 'post'));
  });

  const unsupported = (name: string, sentence: string, fields: () => Record<string, string>, error: string) =>
    test(`${name}: ${sentence}`, async () => {
      assert.equal(await refusalOf(rp.request(fields())), error);
    });
  const unsigned = () =>
    new UnsecuredJWT({ redirect_uri: rp.redirectUri, scope: 'openid', response_type: 'code' })
      .setIssuer(sample.id)
      .setAudience(rp.as.issuer)
      .encode();
  unsupported(
    'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    'a request_uri is refused as unsupported',
    () => ({ request_uri: 'https://rp.example/request.jwt' }),
    'request_uri_not_supported',
  );
  unsupported(
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    'an unsigned request object is refused, and `none` is not offered',
    () => ({ request: unsigned() }),
    'invalid_request_object',
  );
  unsupported(
    'oidcc-ensure-request-object-with-redirect-uri',
    'a redirect URI inside of a request object is not used',
    () => ({ request: unsigned() }),
    'invalid_request_object',
  );

  succeedsWith(...(['oidcc-claims-essential', 'a request with claims succeeds'] as const), {
    claims: JSON.stringify({ userinfo: { name: { essential: true } } }),
  });

  test('oidcc-refresh-token: a refresh token works once, keeps the subject, and is bound to its client', async () => {
    const own = rp.withStranger();
    const first = await own.logIn({ scope: 'openid offline_access', prompt: 'consent' });
    const stranger = await RelyingParty.discover(running(), await registerClient(running()), mode);
    assert.equal((await (await stranger.refresh(first.refresh_token ?? '')).json()).error, 'invalid_grant');
    const second = await (await own.refresh(first.refresh_token ?? '')).json();
    assert.notEqual(second.access_token, first.access_token);
    assert.equal((await own.userinfo({ ...first, access_token: second.access_token })).sub, first.claims.sub);
    assert.equal((await (await own.refresh(first.refresh_token ?? '')).json()).error, 'invalid_grant');
  });

  succeedsWith('oidcc-ensure-request-with-valid-pkce-succeeds', 'PKCE with S256 is accepted', {
    code_challenge: 'S256',
  });
}
