import { authorize, loginToken, openBrowser, pageDataOf } from '../oauth/browser.ts';
import { authorizeAddress, exchange, getCode, newVerifier, post } from '../oauth/flow.ts';
import { registerClient, type SampleClient } from '../oauth/sample-client.ts';
import type { Keep } from './secret-journey.ts';
import type { TestServer } from './test-server.ts';

const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', 'password', 'implicit'];

/** Lets applications get tokens in every possible way, and leaves a code, a login and a consent unused. */
export async function useOauth(server: TestServer, keep: Keep): Promise<void> {
  const client = await registerClient(server, { grantTypes });
  keep('client secret of an OAuth2 application', client.secret);
  const keepTokens = (how: string, { json }: { json: Record<string, unknown> }) => {
    keep(`access token ${how}`, json.access_token);
    if (json.id_token !== undefined) keep(`id token ${how}`, json.id_token);
    return json.refresh_token === undefined ? '' : keep(`refresh token ${how}`, json.refresh_token);
  };
  await logIn(server, client, keep, keepTokens);

  const own = await post(server, client, '/oauth2/token', { grant_type: 'client_credentials' });
  keepTokens('of client credentials', own);
  const person = { userId: 'DIS#USER#4713', platform: 'discord', name: 'dora' };
  const password = keep('AE token in the place of a password', await loginToken(server, person));
  const request = { grant_type: 'password', username: person.userId, password, scope: 'openid user:read' };
  keepTokens('of a password', await post(server, client, '/oauth2/token', request));
  await beRefused(server, client, keep);
}

type KeepTokens = (how: string, answer: { json: Record<string, unknown> }) => string;

async function logIn(server: TestServer, client: SampleClient, keep: Keep, keepTokens: KeepTokens): Promise<void> {
  const browser = openBrowser(server);
  const fields = { state: keep('state of an application', newVerifier()), nonce: keep('nonce', newVerifier()) };
  const code = await getCode(server, client, { browser, fields });
  keep('authorization code', code.code);
  keep('code verifier', code.verifier);
  const first = await exchange(server, client, code);
  const refreshToken = keepTokens('of a code', first);
  const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
  keepTokens('of a refresh token', await post(server, client, '/oauth2/token', refresh));
  const token = String(first.json.access_token);
  await server.request('GET', '/oauth2/me', { headers: { authorization: `Bearer ${token}` } });
  await post(server, client, '/oauth2/introspect', { token });
  await post(server, client, '/oauth2/revoke', { token });
  keep('code that nobody used', (await getCode(server, client, { browser })).code);
  const implicit = { response_type: 'token', state: fields.state };
  const back = await authorize(server, browser, authorizeAddress(client, newVerifier(), implicit));
  keep('access token of an address', new URLSearchParams(back.hash.slice(1)).get('access_token'));
  await leaveOff(server, client, keep);
  for (const cookie of browser.cookieValues()) keep('cookie of a browser', cookie);
}

/** Starts a login, signs in, and never decides. */
async function leaveOff(server: TestServer, client: SampleClient, keep: Keep): Promise<void> {
  const browser = openBrowser(server);
  const begun = await browser.get(authorizeAddress(client, newVerifier()));
  const slug = keep('id of a login', begun.location.split('/').at(-1));
  await browser.get(`/login/${slug}`);
  const person = { userId: 'DIS#USER#4714', platform: 'discord', name: 'emil' };
  const token = keep('AE token of a login', await loginToken(server, person));
  const resumed = await browser.get((await browser.get(`/oauth2/callback/${slug}?aeToken=${token}`)).location);
  const consentSlug = keep('id of a consent', resumed.location.split('/').at(-1));
  const page = pageDataOf((await browser.get(`/consent/${consentSlug}`)).text);
  keep('AE token of a consent', page.token);
  for (const cookie of browser.cookieValues()) keep('cookie of an unfinished login', cookie);
}

/** Refused values are secrets too: they may be valid elsewhere, or wrong by only one letter. */
async function beRefused(server: TestServer, client: SampleClient, keep: Keep): Promise<void> {
  const wrong = { ...client, secret: keep('refused client secret', `${client.secret}x`) };
  await post(server, wrong, '/oauth2/token', { grant_type: 'client_credentials' });
  const code = keep('refused code', `lk_ac_${newVerifier()}`);
  await exchange(server, client, { code, verifier: keep('refused verifier', newVerifier()) });
  const refreshToken = keep('refused refresh token', `lk_rt_${newVerifier()}`);
  await post(server, client, '/oauth2/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  const token = keep('token that nobody issued', `lk_at_${newVerifier()}`);
  await post(server, client, '/oauth2/introspect', { token });
  await server.request('GET', `/oauth2/me?access_token=${token}`);
  const password = keep('refused password', newVerifier());
  await post(server, client, '/oauth2/token', { grant_type: 'password', username: 'DIS#USER#1', password });
}
