import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestServer } from '../harness/test-server.ts';
import { alice, authorize, loginToken, mallory, openBrowser, pageDataOf } from './browser.ts';
import { authorizeAddress, exchange, getCode, getTokens, isActive, newVerifier, post } from './flow.ts';
import { registerClient } from './sample-client.ts';

const internalScopes = ['$internal'];

/** What users are asked, and what their answers mean. */
export function peopleSuite(running: () => TestServer): void {
  async function slugOf(address: string, browser = openBrowser(running())): Promise<string> {
    const { location } = await browser.get(address);
    return location.split('/').at(-1) ?? '';
  }

  test('the pages show the application, the scopes and where the user goes afterwards', async () => {
    const client = await registerClient(running());
    const browser = openBrowser(running());
    const fields = { scope: 'openid profile user:wallet:read', login_provider: 'passkey' };
    const { location } = await browser.get(authorizeAddress(client, newVerifier(), fields));
    const slug = location.split('/').at(-1) ?? '';
    const login = pageDataOf((await browser.get(location)).text);
    assert.deepEqual([login.page, login.slug, login.methods], ['login', slug, ['passkey', 'wallet']]);
    assert.deepEqual(login.client, { name: 'Sample application', returnsTo: 'app.example' });
    const { location: onwards } = await browser.get(
      `/oauth2/callback/${slug}?aeToken=${await loginToken(running(), alice)}`,
    );
    const { location: consent } = await browser.get(onwards);
    const page = pageDataOf((await browser.get(consent)).text);
    assert.deepEqual([page.page, page.account], ['consent', { platform: 'discord', name: 'alice' }]);
    assert.deepEqual(page.client, login.client, 'a creator without a known name is not shown');
    assert.deepEqual(page.scopes, [
      { scope: 'openid', description: 'recognize you when you come back' },
      { scope: 'profile', description: 'know your name and where your account is from' },
      { scope: 'user:wallet:read', description: 'see the wallets you have linked' },
    ]);
  });

  test('a person can continue as another user: the browser is logged out, and the same request starts again', async () => {
    const client = await registerClient(running(), { ownerId: mallory.userId });
    const browser = openBrowser(running());
    const verifier = newVerifier();
    const slug = await slugOf(authorizeAddress(client, verifier), browser);
    const logIn = async (at: string, person: typeof alice) => {
      const token = await loginToken(running(), person);
      const { location } = await browser.get(`/oauth2/callback/${at}?aeToken=${token}`);
      return (await browser.get(location)).location;
    };
    const first = await logIn(slug, alice);
    const consent = first.split('/').at(-1);
    for (const stranger of [openBrowser(running()), openBrowser(running())])
      assert.equal((await stranger.get(`/consent/${consent}/switch-account`)).status, 404, 'not from another browser');
    const { location: resumed } = await browser.get(`/consent/${consent}/switch-account`);
    const { location: login } = await browser.get(resumed);
    const page = pageDataOf((await browser.get(login)).text);
    const shown = { name: 'Sample application', returnsTo: 'app.example' };
    assert.deepEqual([page.page, page.client], ['login', shown]);
    const second = await logIn(login.split('/').at(-1) ?? '', mallory);
    const { account, client: asking } = pageDataOf((await browser.get(second)).text);
    assert.deepEqual(account, { platform: 'discord', name: 'mallory' });
    assert.deepEqual(asking, { ...shown, maker: 'mallory' }, 'its creator has a name by now');
    assert.equal((await browser.get(first)).status, 404, 'the first request has ended');
  });

  test('a person who does not agree is sent back with access_denied, and one who agrees to less with less', async () => {
    const client = await registerClient(running());
    const address = authorizeAddress(client, newVerifier());
    const back = await authorize(running(), openBrowser(running()), address, { denies: true });
    assert.deepEqual([back.searchParams.get('error'), back.searchParams.get('code')], ['access_denied', null]);
    const fields = { scope: 'openid user:read user:wallet:read' };
    const tokens = await getTokens(running(), client, { fields, scopes: ['user:read'] });
    assert.equal(tokens.scope, 'openid user:read');
  });

  test('a remembered decision is not requested again, until it is revoked, which ends every token at once', async () => {
    const client = await registerClient(running());
    const browser = openBrowser(running());
    const person = { ...alice, userId: 'DIS#USER#200' };
    const first = await getTokens(running(), client, { browser, person, remember: true });
    const silent = await browser.get(authorizeAddress(client, newVerifier(), { prompt: 'none' }));
    const resumed = new URL(silent.location);
    assert.ok(resumed.searchParams.get('code'), silent.location);
    const more = await browser.get(
      authorizeAddress(client, newVerifier(), { prompt: 'none', scope: 'openid user:read user:wallet:read' }),
    );
    assert.equal(new URL(more.location).searchParams.get('error'), 'consent_required');

    const { key } = await running().apiKey(internalScopes);
    const headers = { authorization: await running().aeToken(person.userId), 'x-api-key': key };
    const listed = await running().request('GET', '/user-authorizations', { headers });
    assert.deepEqual(
      listed.json.items.map(({ clientApplicationId, scopes }: Record<string, unknown>) => [
        clientApplicationId,
        scopes,
      ]),
      [[client.id, ['openid', 'user:read']]],
    );
    const path = `/user-authorizations/${client.id}`;
    assert.equal((await running().request('GET', path, { headers })).json.pk, person.userId);
    assert.equal((await running().request('DELETE', path, { headers })).status, 204);
    assert.equal((await running().request('GET', path, { headers })).status, 404);
    assert.equal(await isActive(running(), client, first.access_token), false);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    assert.equal((await post(running(), client, '/oauth2/token', refresh)).json.error, 'invalid_grant');
    const again = await browser.get(authorizeAddress(client, newVerifier(), { prompt: 'none' }));
    assert.equal(new URL(again.location).searchParams.get('error'), 'consent_required');
  });

  test('a request continues only in its own browser', async () => {
    const client = await registerClient(running());
    const victim = openBrowser(running());
    const attacker = openBrowser(running());
    const slug = await slugOf(authorizeAddress(client, newVerifier()), victim);
    const own = await slugOf(authorizeAddress(client, newVerifier()), attacker);
    const token = await loginToken(running(), mallory);
    const forged = { cookie: `latchkey_request=${slug}` };
    for (const browser of [attacker, openBrowser(running())]) {
      for (const headers of [{}, forged]) {
        const refused = await browser.get(`/oauth2/callback/${slug}?aeToken=${token}`, headers);
        assert.deepEqual([refused.status, refused.location], [404, '']);
        for (const page of ['login', 'consent'])
          assert.equal((await browser.get(`/${page}/${slug}`, headers)).status, 404);
      }
    }
    assert.equal((await victim.get(`/oauth2/callback/${own}?aeToken=${token}`)).status, 404);
    // None of these attempts has consumed the token.
    assert.equal((await attacker.get(`/oauth2/callback/${own}?aeToken=${token}`)).status, 302);
  });

  test('a token logs in once, and one with another purpose not at all', async () => {
    const client = await registerClient(running());
    const token = await loginToken(running(), alice);
    const tries = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const browser = openBrowser(running());
        const slug = await slugOf(authorizeAddress(client, newVerifier()), browser);
        return browser.get(`/oauth2/callback/${slug}?aeToken=${token}`, { accept: 'application/json' });
      }),
    );
    assert.deepEqual(tries.map(({ status }) => status).toSorted(), [302, ...Array(7).fill(401)]);

    const browser = openBrowser(running());
    const slug = await slugOf(authorizeAddress(client, newVerifier()), browser);
    const onwards = await browser.get(`/oauth2/callback/${slug}?aeToken=${await loginToken(running(), alice)}`);
    const consent = (await browser.get(onwards.location)).location;
    const { token: consentToken } = pageDataOf((await browser.get(consent)).text);
    const headers = { authorization: `AE ${consentToken}` };
    for (const [method, path] of [
      ['GET', '/account/me'],
      ['GET', '/client-apps'],
      ['POST', '/dev-orgs'],
    ] as const) {
      const { status, json } = await running().request(method, path, {
        headers,
        ...(method === 'POST' && { json: {} }),
      });
      assert.deepEqual([status, json.error.code], [403, 'SCOPE_NOT_ALLOWED'], path);
    }
    const other = openBrowser(running());
    const otherSlug = await slugOf(authorizeAddress(client, newVerifier()), other);
    assert.equal((await other.get(`/oauth2/callback/${otherSlug}?aeToken=${consentToken}`)).status, 400);
    const elsewhere = await running().request('POST', `/user-authorizations/${otherSlug}`, { headers, json: {} });
    assert.equal(elsewhere.status, 404);
  });

  test('only the user can decide about their request', async () => {
    const client = await registerClient(running());
    const browser = openBrowser(running());
    const slug = await slugOf(authorizeAddress(client, newVerifier()), browser);
    const onwards = await browser.get(`/oauth2/callback/${slug}?aeToken=${await loginToken(running(), alice)}`);
    const consentSlug = (await browser.get(onwards.location)).location.split('/').at(-1) ?? '';
    const stranger = { authorization: await running().aeToken(mallory.userId) };
    const json = { scopes: ['openid', 'user:read'] };
    const recorded = await running().request('POST', `/user-authorizations/${consentSlug}`, {
      headers: stranger,
      json,
    });
    assert.equal(recorded.status, 404);
    const token = await loginToken(running(), mallory);
    for (const reply of ['granted', 'denied'])
      assert.equal(
        (await browser.get(`/oauth2/callback/${consentSlug}?aeToken=${token}&userAuthorization=${reply}`)).status,
        400,
      );
    const own = { authorization: await running().aeToken(alice.userId) };
    const unrequested = await running().request('POST', `/user-authorizations/${consentSlug}`, {
      headers: own,
      json: { scopes: ['user:wallet:read'] },
    });
    assert.deepEqual([unrequested.status, unrequested.json.error.code], [422, 'VALIDATION_FAILED']);
    const ae = await loginToken(running(), alice);
    const undecided = await browser.get(`/oauth2/callback/${consentSlug}?aeToken=${ae}&userAuthorization=granted`);
    assert.equal(undecided.status, 400);
  });

  test('another user who logs in in the same browser does not continue the first one’s session', async () => {
    const client = await registerClient(running());
    const browser = openBrowser(running());
    const first = await getTokens(running(), client, { browser, person: alice });
    const second = await getTokens(running(), client, { browser, person: mallory, fields: { prompt: 'login' } });
    const subjectOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).sub;
    assert.deepEqual([subjectOf(first.id_token), subjectOf(second.id_token)], [alice.userId, mallory.userId]);
  });

  test('a limited login gives an application no more than that', async () => {
    const client = await registerClient(running());
    const browser = openBrowser(running());
    const verifier = newVerifier();
    const address = authorizeAddress(client, verifier, { scope: 'openid user:read user:wallet:read' });
    const slug = await slugOf(address, browser);
    const limited = await loginToken(running(), alice, ['user:wallet:read', 'user:wallet:write']);
    const onwards = await browser.get(`/oauth2/callback/${slug}?aeToken=${limited}`);
    const back = await authorize(running(), browser, onwards.location);
    const code = back.searchParams.get('code') ?? '';
    const { json } = await exchange(running(), client, { code, verifier });
    assert.equal(json.scope, 'openid user:wallet:read');
    const claims = JSON.parse(Buffer.from(json.id_token.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual([claims.sub, claims.acr], [alice.userId, undefined]);
  });

  test('a native application needs consent every time', async () => {
    const client = await registerClient(running(), { clientType: 'public', redirectUris: ['http://127.0.0.1/cb'] });
    const browser = openBrowser(running());
    await getCode(running(), client, { browser, remember: true });
    const again = await browser.get(authorizeAddress(client, newVerifier(), { prompt: 'none' }));
    assert.equal(new URL(again.location).searchParams.get('error'), 'interaction_required');
    assert.match((await browser.get(authorizeAddress(client, newVerifier()))).location, /\/consent\//);
  });

  test('a confidential application does not, unless it requests tokens without a code', async () => {
    const grantTypes = ['authorization_code', 'implicit'];
    const client = await registerClient(running(), { redirectUris: ['http://127.0.0.1/cb'], grantTypes });
    const browser = openBrowser(running());
    await getCode(running(), client, { browser, remember: true });
    const silently = async (response_type: string) => {
      const fields = { prompt: 'none', response_type, redirect_uri: 'http://localhost:4000/cb' };
      return new URL((await browser.get(authorizeAddress(client, newVerifier(), fields))).location);
    };
    assert.ok((await silently('code')).searchParams.get('code'));
    assert.match((await silently('token')).hash, /error=interaction_required/);
  });
}
