import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { listenLocally } from '@latchkey/test-kit';
import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import type { TestServer } from '../../harness/test-server.ts';
import { type Answer, pageDataOf } from '../browser.ts';
import { registerClient } from '../sample-client.ts';
import { setOauthSettings } from './oauth-settings.ts';
import { RelyingParty, type Tokens } from './relying-party.ts';

const redirectUri = 'https://rp.example/callback';
const signedOutUri = 'https://rp.example/post_logout_redirect';
const frontUri = 'https://rp.example/frontchannel_logout?tenant=1';
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

interface SignedIn {
  rp: RelyingParty;
  tokens: Tokens;
}

/** The modules of the plans for RP-initiated, front-channel and back-channel logout. */
export function logoutSuite(running: () => TestServer): void {
  async function signIn(settings: Record<string, unknown> = {}): Promise<SignedIn> {
    const sample = await registerClient(running(), { redirectUris: [redirectUri] });
    await setOauthSettings(running(), sample, { post_logout_redirect_uris: [signedOutUri], ...settings });
    const rp = await RelyingParty.discover(running(), sample);
    return { rp, tokens: await rp.logIn() };
  }

  const addressOf = ({ rp }: SignedIn, fields: Record<string, string>) =>
    `${rp.as.end_session_endpoint}?${new URLSearchParams(fields)}`;
  const usual = ({ tokens }: SignedIn) => ({
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: signedOutUri,
    state: 'st&te',
  });

  /** What a person does: asks to sign out, and confirms it on the page. */
  async function signOut(signedIn: SignedIn, fields: Record<string, string>): Promise<Answer> {
    const { browser } = signedIn.rp;
    const { action, proof } = pageDataOf((await browser.get(addressOf(signedIn, fields))).text);
    const body = new URLSearchParams({ xsrf: String(proof), logout: 'yes' });
    return browser.post(String(action), { headers: formType, body });
  }

  async function isSignedOut({ rp }: SignedIn): Promise<boolean> {
    return (await rp.authorize({ prompt: 'none' })).back.searchParams.get('error') === 'login_required';
  }

  /** It sends the browser nowhere: it shows an error or asks, and the user is still signed in. */
  async function staysHere(signedIn: SignedIn, fields: Record<string, string>): Promise<Answer> {
    const answer = await signedIn.rp.browser.get(addressOf(signedIn, fields));
    assert.equal(answer.location, '');
    assert.equal(await isSignedOut(signedIn), false);
    return answer;
  }

  test('oidcc-rp-initiated-logout-discovery-endpoint-verification: the metadata names the logout endpoint', async () => {
    const { json } = await running().request('GET', '/.well-known/openid-configuration');
    assert.equal(json.end_session_endpoint, `${running().url}/oauth2/logout`);
  });

  test('oidcc-rp-initiated-logout: the user is signed out and returns to post_logout_redirect_uri with state', async () => {
    const signedIn = await signIn();
    const { location } = await signOut(signedIn, usual(signedIn));
    assert.equal(location, `${signedOutUri}?state=st%26te`);
    assert.equal(await isSignedOut(signedIn), true);
  });

  test('a logout request can be sent as a form (RP-Initiated Logout 2), and asks like any other', async () => {
    const signedIn = await signIn();
    const { browser } = signedIn.rp;
    const body = new URLSearchParams(usual(signedIn));
    const posted = await browser.post('/oauth2/logout', { headers: formType, body });
    assert.equal(posted.status, 303);
    const { action, proof } = pageDataOf((await browser.get(posted.location)).text);
    assert.equal(await isSignedOut(signedIn), false);
    const confirmed = new URLSearchParams({ xsrf: String(proof), logout: 'yes' });
    const { location } = await browser.post(String(action), { headers: formType, body: confirmed });
    assert.equal(location, `${signedOutUri}?state=st%26te`);
    const wrong = await browser.post('/oauth2/logout', { headers: { 'content-type': 'text/plain' }, body: 'x' });
    assert.equal(wrong.status, 415);
  });

  test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: an unregistered address is refused', async () => {
    const signedIn = await signIn();
    const fields = { ...usual(signedIn), post_logout_redirect_uri: `${signedOutUri}/other` };
    assert.equal((await staysHere(signedIn, fields)).status, 400);
  });

  test('oidcc-rp-initiated-logout-modified-id-token-hint: an unsigned hint is refused', async () => {
    const signedIn = await signIn();
    const hint = new UnsecuredJWT({ ...signedIn.tokens.claims }).encode();
    assert.equal((await staysHere(signedIn, { ...usual(signedIn), id_token_hint: hint })).status, 400);
  });

  test('oidcc-rp-initiated-logout-no-id-token-hint: the user is asked, and does not return to the address', async () => {
    const signedIn = await signIn();
    const fields = { post_logout_redirect_uri: signedOutUri, state: 'st' };
    assert.equal(pageDataOf((await staysHere(signedIn, fields)).text).page, 'logout');
    const { location } = await signOut(signedIn, fields);
    assert.equal(new URL(location).origin, running().url);
  });

  const endsHere = (name: string, sentence: string, fieldsOf: (signedIn: SignedIn) => Record<string, string>) =>
    test(`${name}: ${sentence}`, async () => {
      const signedIn = await signIn();
      const { location } = await signOut(signedIn, fieldsOf(signedIn));
      assert.equal(new URL(location).origin, running().url);
      assert.equal(pageDataOf((await signedIn.rp.browser.get(location)).text).title, 'You are signed out');
      assert.equal(await isSignedOut(signedIn), true);
    });
  endsHere('oidcc-rp-initiated-logout-no-params', 'without parameters the user is signed out', () => ({}));
  endsHere(
    'oidcc-rp-initiated-logout-no-post-logout-redirect-uri',
    'without an address the user stays here',
    ({ tokens }) => ({ id_token_hint: tokens.id_token, state: 'st' }),
  );
  endsHere('oidcc-rp-initiated-logout-only-state', 'with state alone the user is signed out', () => ({ state: 'st' }));

  test('oidcc-rp-initiated-logout-no-state: the user returns without a state', async () => {
    const signedIn = await signIn();
    const { state: _, ...fields } = usual(signedIn);
    assert.equal((await signOut(signedIn, fields)).location, signedOutUri);
    assert.equal(await isSignedOut(signedIn), true);
  });

  test('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: an added query is refused', async () => {
    const signedIn = await signIn();
    const fields = { ...usual(signedIn), post_logout_redirect_uri: `${signedOutUri}?foo=bar` };
    assert.equal((await staysHere(signedIn, fields)).status, 400);
  });

  test('oidcc-rp-initiated-logout-bad-id-token-hint: a hint that another server signed is refused', async () => {
    const signedIn = await signIn();
    const key = new TextEncoder().encode('a secret of another server, which is long enough');
    const hint = await new SignJWT({ ...signedIn.tokens.claims }).setProtectedHeader({ alg: 'HS256' }).sign(key);
    assert.equal((await staysHere(signedIn, { ...usual(signedIn), id_token_hint: hint })).status, 400);
  });

  test('oidcc-frontchannel-logout-discovery-endpoint-verification: the metadata lists front-channel logout', async () => {
    const { json } = await running().request('GET', '/.well-known/openid-configuration');
    assert.deepEqual([json.frontchannel_logout_supported, json.frontchannel_logout_session_supported], [true, true]);
  });

  test('oidcc-frontchannel-rp-initiated-logout: the logout page is loaded in a frame with iss and sid, and then the user returns', async () => {
    const signedIn = await signIn({ frontchannel_logout_uri: frontUri, frontchannel_logout_session_required: true });
    const { sid } = signedIn.tokens.claims;
    assert.ok(sid);
    const page = await signOut(signedIn, usual(signedIn));
    assert.deepEqual([page.status, page.location], [200, '']);
    const { frames, next } = pageDataOf(page.text) as { frames: string[]; next: string };
    const expected = new URL(frontUri);
    expected.searchParams.set('iss', running().url);
    expected.searchParams.set('sid', String(sid));
    assert.deepEqual([frames, next], [[expected.href], `${signedOutUri}?state=st%26te`]);
    assert.match(page.headers.get('content-security-policy') ?? '', /(^|; )frame-src https:\/\/rp\.example(;|$)/);
    assert.equal(await isSignedOut(signedIn), true);
  });

  test('a page that needs no session gets none, and a user who stays signed in reaches no page', async () => {
    const signedIn = await signIn({ frontchannel_logout_uri: frontUri });
    assert.equal(signedIn.tokens.claims.sid, undefined);
    const { browser } = signedIn.rp;
    const { action, proof } = pageDataOf((await browser.get(addressOf(signedIn, usual(signedIn)))).text);
    const body = new URLSearchParams({ xsrf: String(proof) });
    const stayed = await browser.post(String(action), { headers: formType, body });
    assert.equal(stayed.location, `${signedOutUri}?state=st%26te`);
    const again = { ...signedIn, tokens: await signedIn.rp.logIn() };
    assert.deepEqual(pageDataOf((await signOut(again, usual(again))).text).frames, [frontUri]);
  });

  test('oidcc-backchannel-logout-discovery-endpoint-verification: the metadata lists back-channel logout', async () => {
    const { json } = await running().request('GET', '/.well-known/openid-configuration');
    assert.deepEqual([json.backchannel_logout_supported, json.backchannel_logout_session_supported], [true, true]);
  });

  for (const alg of ['ES256', 'RS256'])
    test(`oidcc-backchannel-rp-initiated-logout: a logout token is sent before the user returns (${alg})`, async () => {
      const received: string[] = [];
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        received.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('logout_token') ?? '');
        response.end();
      });
      await using listening = await listenLocally(server);
      const signedIn = await signIn({
        id_token_signed_response_alg: alg,
        backchannel_logout_uri: `${listening.url}/backchannel`,
        backchannel_logout_session_required: true,
      });
      const { claims, id_token } = signedIn.tokens;
      const { location } = await signOut(signedIn, usual(signedIn));
      assert.equal(location, `${signedOutUri}?state=st%26te`);
      const [token = ''] = received;
      const keys = createRemoteJWKSet(new URL(String(signedIn.rp.as.jwks_uri)));
      const { payload } = await jwtVerify(token, keys, {
        issuer: running().url,
        audience: String(claims.aud),
        typ: 'logout+jwt',
        algorithms: [alg],
        requiredClaims: ['iat', 'exp', 'jti'],
      });
      assert.deepEqual([payload.sub, payload.sid], [claims.sub, claims.sid]);
      assert.deepEqual(payload.events, { [logoutEvent]: {} });
      assert.equal(payload.nonce, undefined);
      assert.equal(received.length, 1);
      assert.ok(decodeJwt(id_token).sid);
      assert.equal(await isSignedOut(signedIn), true);
    });

  test('an application that cannot be reached keeps nobody signed in, and is logged', async () => {
    const signedIn = await signIn({ backchannel_logout_uri: 'http://127.0.0.1:1/backchannel' });
    const { location } = await signOut(signedIn, usual(signedIn));
    assert.equal(location, `${signedOutUri}?state=st%26te`);
    assert.equal(await isSignedOut(signedIn), true);
    assert.ok(running().logLines.some((line) => line.includes('did not accept a logout token')));
  });
}
