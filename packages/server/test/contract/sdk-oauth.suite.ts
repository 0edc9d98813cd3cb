import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { challengeOf, newVerifier } from '../oauth/flow.ts';
import { registerClient, type SampleClient } from '../oauth/sample-client.ts';
import { type BrowserSdk, inBrowser } from './sdk-browser.ts';
import { aboutLogins } from './sdk-resources.ts';
import { turns } from './turns.ts';

const personId = 'DIS#USER#300';
const scope = 'openid user:read';

turns.describe('contract: sdk, logins of other applications', () => {
  let server: TestServer;
  let client: SampleClient;
  let asNobody: Sdk;
  let asPerson: Sdk;
  let asPages: Sdk;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    server = await startTestServer();
    const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', 'password'];
    client = await registerClient(server, { grantTypes });
    const authenticatedEncryption = await server.aeToken(personId);
    asNobody = await connectSdk(server, {});
    asPerson = await connectSdk(server, { authenticatedEncryption });
    const { key: apiKey } = await server.apiKey(['$internal']);
    asPages = await connectSdk(server, { authenticatedEncryption, apiKey });
  });
  after(() => server.close());

  const proof = () => ({ client_id: client.id, client_secret: client.secret });
  const getTokens = (fields: Record<string, string>) => call(asNobody, 'POST /oauth2/token', { ...proof(), ...fields });
  const ask = (token: string) => call(asNobody, 'POST /oauth2/introspect', { ...proof(), token });
  const loginToken = async () => (await server.aeToken(personId)).replace('AE ', '');
  const slugOf = (address: string, page: string) => {
    assert.match(address, new RegExp(`^${server.url}/${page}/`));
    return address.split('/').at(-1) ?? '';
  };

  /** A user signs in and agrees. Returns the URL with which the application is called back. */
  async function logIn(browser: BrowserSdk, verifier: string): Promise<URL> {
    const { id, redirectUri } = client;
    const requested = ['code', id, redirectUri, scope, 'a state', challengeOf(verifier), 'S256', 'discord', 'wallet'];
    const login = await call(browser, 'GET /oauth2/authorize', ...requested);
    const loggedIn = await call(browser, 'GET /oauth2/callback/{slug}', slugOf(login, 'login'), await loginToken());
    const slug = slugOf(await browser.visit(loggedIn), 'consent');
    const decision = { scopes: scope.split(' '), rememberDecisions: true };
    const allowed = await call(asPerson, 'POST /user-authorizations/{slug}', slug, decision);
    assert.deepEqual([allowed.pk, allowed.clientApplicationId, allowed.scopes], [personId, id, decision.scopes]);
    const decided = await call(browser, 'GET /oauth2/callback/{slug}', slug, await loginToken(), 'granted');
    return new URL(await browser.visit(decided));
  }

  test('a user logs in to an application, which refreshes, introspects and revokes its tokens', async () => {
    const verifier = newVerifier();
    const back = await logIn(inBrowser(asNobody), verifier);
    assert.equal(`${back.origin}${back.pathname}`, client.redirectUri);
    assert.equal(back.searchParams.get('state'), 'a state');
    const code = { code: back.searchParams.get('code') ?? '', code_verifier: verifier };
    const exchange = { grant_type: 'authorization_code', redirect_uri: client.redirectUri, ...code };
    const first = await getTokens(exchange);
    assert.deepEqual([first.token_type, first.scope, decodeJwt(first.id_token).sub], ['Bearer', scope, personId]);
    const asApp = await connectSdk(server, { collabLandOAuth2: first.access_token });
    assert.equal((await call(asApp, 'GET /account/me')).id, personId);
    const report = await ask(first.access_token);
    assert.deepEqual([report.active, report.sub, report.client_id, report.scope], [true, personId, client.id, scope]);

    const next = await getTokens({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
    assert.notEqual(next.refresh_token, first.refresh_token);
    const token = { ...proof(), token: next.refresh_token, token_type_hint: 'refresh_token' };
    await call(asNobody, 'POST /oauth2/revoke', token);
    assert.deepEqual(await ask(next.access_token), { active: false });
    await assert.rejects(call(asApp, 'GET /account/me'), refusedWith(401, 'INVALID_CREDENTIAL'));
    await assert.rejects(getTokens(exchange), { status: 400 });
  });

  test('an application gets its own tokens, and tokens for a user’s login', async () => {
    const own = await getTokens({ grant_type: 'client_credentials', scope: 'token-gating' });
    assert.equal(own.scope, 'token-gating');
    assert.equal((await ask(own.access_token)).sub, undefined);
    const login = { grant_type: 'password', username: personId, password: await loginToken() };
    const theirs = await getTokens({ ...login, scope: 'user:read' });
    assert.equal((await ask(theirs.access_token)).sub, personId);
    await assert.rejects(getTokens(login), { status: 400 });
    await assert.rejects(getTokens({ grant_type: 'client_credentials', client_secret: 'guessed' }), { status: 401 });
  });

  test('a user’s grants are listed, read and revoked, which ends the tokens', async () => {
    const login = { grant_type: 'password', username: personId, password: await loginToken(), scope: 'user:read' };
    const { access_token: token } = await getTokens(login);
    const { items } = await call(asPages, 'GET /user-authorizations', 10);
    assert.deepEqual(
      items.map((item: { clientApplicationId: string }) => item.clientApplicationId),
      [client.id],
    );
    assert.deepEqual(await call(asPages, 'GET /user-authorizations/{clientId}', client.id), items[0]);
    assert.deepEqual((await call(asPerson, 'GET /user-authorizations')).items, items);
    assert.equal(await call(asPages, 'DELETE /user-authorizations/{clientId}', client.id), undefined);
    assert.deepEqual(await ask(token), { active: false });
    await assert.rejects(
      call(asPages, 'GET /user-authorizations/{clientId}', client.id),
      refusedWith(404, 'ENTITY_NOT_FOUND'),
    );
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutLogins.includes(name)),
      [],
    );
  });
});
