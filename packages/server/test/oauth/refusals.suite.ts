import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { TestServer } from '../harness/test-server.ts';
import { openBrowser } from './browser.ts';
import {
  authorizeAddress,
  challengeOf,
  encode,
  exchange,
  type Fields,
  getCode,
  getTokens,
  newVerifier,
  post,
} from './flow.ts';
import { serveWith } from './other-settings.ts';
import { registerClient, type SampleClient } from './sample-client.ts';

/** What this server refuses to applications. */
export function refusalsSuite(running: () => TestServer): void {
  /** Returns the error in the redirect. */
  async function errorOf(client: SampleClient, fields: Fields): Promise<string | null> {
    const { location } = await openBrowser(running()).get(authorizeAddress(client, newVerifier(), fields));
    const back = new URL(location, running().url);
    assert.equal(
      back.searchParams.get('iss') ?? new URLSearchParams(back.hash.slice(1)).get('iss'),
      running().url,
      `${location} ${JSON.stringify(fields)}`,
    );
    return back.searchParams.get('error') ?? new URLSearchParams(back.hash.slice(1)).get('error');
  }

  /** What a confidential application may send, and a public one may not. */
  const withoutHash: Fields[] = [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge_method: undefined },
    { code_challenge_method: 'plain' },
  ];

  test('a public application needs PKCE with S256, and an invalid challenge is refused', async () => {
    const wrong: Fields[] = [
      { code_challenge: undefined },
      { code_challenge_method: 's256' },
      { code_challenge: 'short' },
      { code_challenge: 'short', code_challenge_method: 'plain' },
      { code_challenge: `${'a'.repeat(42)}+` },
      { code_challenge: 'a'.repeat(129) },
      { code_challenge: 'a'.repeat(129), code_challenge_method: undefined },
    ];
    const page = await registerClient(running(), { clientType: 'public' });
    const server = await registerClient(running());
    for (const [client, refused] of [
      [page, [...wrong, ...withoutHash]],
      [server, wrong],
    ] as const)
      for (const fields of refused)
        assert.equal(await errorOf(client, fields), 'invalid_request', JSON.stringify(fields));
    for (const fields of withoutHash) {
      const { location } = await openBrowser(running()).get(authorizeAddress(server, newVerifier(), fields));
      assert.match(location, /\/login\//, JSON.stringify(fields));
    }
  });

  test('an operator can require PKCE with S256 from every application', async () => {
    const client = await registerClient(running(), { redirectUris: ['http://localhost/cb'] });
    const strict = serveWith(running(), { strictOauth: true });
    const locationOf = async (fields: Fields) =>
      String((await strict.inject(authorizeAddress(client, newVerifier(), fields))).headers.location);
    for (const fields of withoutHash)
      assert.match(await locationOf(fields), /^http:\/\/localhost\/cb\?error=invalid_request/, JSON.stringify(fields));
    assert.match(await locationOf({}), /\/login\//);
    assert.equal(await locationOf({ redirect_uri: 'http://localhost:3000/cb' }), 'undefined');
    await strict.close();
  });

  test('a code requested without PKCE accepts no verifier, and one with plain only its own', async () => {
    const client = await registerClient(running());
    const bare = await getCode(running(), client, { fields: withoutHash[0] ?? {} });
    // An attacker who strips the challenge from a request must not succeed (RFC 9700 4.8.2).
    assert.equal((await exchange(running(), client, bare)).json.error, 'invalid_grant');
    assert.equal((await exchange(running(), client, bare, { code_verifier: undefined })).status, 200);

    const verifier = newVerifier();
    const fields = { code_challenge: verifier, code_challenge_method: 'plain' };
    const plain = await getCode(running(), client, { fields });
    for (const code_verifier of [undefined, newVerifier(), challengeOf(verifier)])
      assert.equal((await exchange(running(), client, plain, { code_verifier })).json.error, 'invalid_grant');
    assert.equal((await exchange(running(), client, plain, { code_verifier: verifier })).status, 200);
  });

  test('a code is only exchanged with its own verifier, application and redirect URI', async () => {
    const client = await registerClient(running());
    const other = await registerClient(running());
    const code = await getCode(running(), client);
    const foreign = await getCode(running(), client);
    const refused = async (by: SampleClient, fields: Fields) => {
      const { status, json } = await exchange(running(), by, code, fields);
      assert.equal(status, 400, JSON.stringify(fields));
      return json.error;
    };
    assert.equal(await refused(client, { code_verifier: undefined }), 'invalid_grant');
    assert.equal(await refused(client, { code_verifier: 'short' }), 'invalid_request');
    assert.equal(await refused(client, { code_verifier: foreign.verifier }), 'invalid_grant');
    assert.equal(await refused(client, { code_verifier: challengeOf(code.verifier) }), 'invalid_grant');
    assert.equal(await refused(client, { redirect_uri: `${client.redirectUri}/` }), 'invalid_grant');
    assert.equal(await refused(other, {}), 'invalid_grant');
    assert.equal(await refused(client, { code: `${code.code}x` }), 'invalid_grant');
    // None of these attempts has consumed the code.
    assert.equal((await exchange(running(), client, code)).status, 200);
  });

  test('an application must authenticate, be approved, and stay within its grants', async () => {
    const client = await registerClient(running());
    const asks = (path: string, by: SampleClient, fields: Fields) => post(running(), by, path, fields);
    const wrong = { ...client, secret: 'lk_cs_wrong' };
    for (const by of [wrong, { ...client, secret: undefined }, { ...wrong, id: 'unknown' }]) {
      for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke']) {
        const { status, json } = await asks(path, by, { grant_type: 'client_credentials', token: 'x' });
        assert.deepEqual([status, json.error], [401, 'invalid_client'], path);
      }
    }
    const twice = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
    assert.equal((await asks('/oauth2/token', client, twice)).json.error, 'invalid_request');
    for (const [grant_type, expected] of [
      ['password', 'unauthorized_client'],
      ['implicit', 'unsupported_grant_type'],
      ['urn:ietf:params:oauth:grant-type:device_code', 'unsupported_grant_type'],
      ['nonsense', 'unsupported_grant_type'],
    ] as const) {
      const { status, json } = await asks('/oauth2/token', client, { grant_type, username: 'a', password: 'b' });
      assert.deepEqual([status, json.error], [400, expected], grant_type);
    }
    for (const response_type of ['token', 'id_token', 'code token', 'none'])
      assert.ok(await errorOf(client, { response_type, nonce: 'n' }), response_type);
    assert.equal(await errorOf(client, { response_mode: 'web_message' }), 'unsupported_response_mode');
    for (const scope of [
      'openid community:write',
      'openid $all',
      'openid $internal',
      'nonsense',
      'roles:DIS#COMM#1',
      'openid roles:nowhere',
    ])
      assert.equal(await errorOf(client, { scope }), 'invalid_scope', scope);
    const pending = await registerClient(running(), { status: 'PENDING' });
    const apiKeyOnly = await registerClient(running(), { clientType: 'apiKey' });
    for (const by of [pending, apiKeyOnly]) {
      const refused = await openBrowser(running()).get(authorizeAddress(by, newVerifier()));
      assert.deepEqual([refused.status, refused.location], [400, '']);
      assert.equal((await asks('/oauth2/token', by, { grant_type: 'client_credentials' })).status, 401);
    }
  });

  test('a JWT is neither an access token, nor a proof of an application, nor a request', async () => {
    const client = await registerClient(running());
    const { id_token, access_token } = await getTokens(running(), client);
    const { keys } = (await running().request('GET', '/.well-known/jwks.json')).json;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = part({ iss: client.id, sub: client.id, aud: running().url, jti: 'j', exp: 9_999_999_999 });
    const hmac = `${part({ alg: 'HS256', kid: keys[0].kid })}.${claims}`;
    const confused = [
      id_token,
      `${part({ alg: 'none' })}.${claims}.`,
      `${hmac}.${createHmac('sha256', JSON.stringify(keys[0])).update(hmac).digest('base64url')}`,
    ];
    for (const jwt of confused) {
      const bearer = { authorization: `Bearer ${jwt}` };
      assert.equal((await running().request('GET', '/account/me', { headers: bearer })).status, 401);
      assert.equal((await running().request('GET', '/oauth2/userinfo', { headers: bearer })).status, 401);
      assert.notEqual((await post(running(), client, '/oauth2/introspect', { token: jwt })).json.active, true);
      const asserted = await post(running(), { ...client, secret: undefined }, '/oauth2/token', {
        grant_type: 'client_credentials',
        client_assertion: jwt,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      });
      assert.ok(['invalid_client', 'invalid_request'].includes(asserted.json.error), asserted.text);
      assert.equal(await errorOf(client, { request: jwt }), 'invalid_request_object');
    }
    assert.equal(await errorOf(client, { request_uri: 'https://attacker.example/r' }), 'request_uri_not_supported');
    const asRefresh = { grant_type: 'refresh_token', refresh_token: access_token };
    assert.equal((await post(running(), client, '/oauth2/token', asRefresh)).json.error, 'invalid_grant');
  });

  test('an application can neither introspect nor revoke a token of another owner’s application', async () => {
    const ownerId = 'DIS#USER#one-owner';
    const client = await registerClient(running(), { ownerId });
    const sibling = await registerClient(running(), { ownerId });
    const stranger = await registerClient(running());
    const { access_token: token } = await getTokens(running(), client);
    const ask = async (by: SampleClient) => (await post(running(), by, '/oauth2/introspect', { token })).json;
    assert.deepEqual(await ask(stranger), { active: false });
    assert.equal((await ask(sibling)).client_id, client.id);
    for (const by of [stranger, sibling])
      assert.equal((await post(running(), by, '/oauth2/revoke', { token })).status, 200);
    assert.equal((await ask(client)).active, true);
  });

  test('garbage gets a protocol error, and never a server error', async () => {
    const client = await registerClient(running());
    const form = 'application/x-www-form-urlencoded';
    const bodies: [string, string][] = [
      [form, ''],
      [form, 'grant_type=a&grant_type=b'],
      [form, '%00=%00&grant_type=%ff%fe'],
      [form, `grant_type=client_credentials&client_id=${'x'.repeat(5000)}&client_secret=%00`],
      [form, `grant_type=client_credentials&client_id=%00&client_secret=a`],
      [form, `client_id=${client.id}&token=%00`],
      [form, `token=${'x'.repeat(60_000)}`],
      ['application/json', '{"grant_type":"client_credentials"}'],
      ['text/plain', 'x'],
      [`${form}; charset=nonsense`, 'grant_type=a'],
    ];
    for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke']) {
      for (const [type, body] of bodies) {
        const { status, json, headers, text } = await running().request('POST', path, {
          headers: { 'content-type': type },
          body,
        });
        assert.ok(status >= 400 && status < 500, `${status} ${path} ${type} ${body.slice(0, 80)}`);
        assert.equal(typeof json?.error, 'string', text.slice(0, 200));
        assert.equal(text.includes('node_modules'), false);
        assert.deepEqual(
          [headers.get('cache-control'), headers.get('x-content-type-options'), headers.has('x-request-id')],
          ['no-store', 'nosniff', true],
        );
      }
    }
    for (const query of [
      '',
      'client_id=%00',
      `client_id=${client.id}&client_id=${client.id}`,
      `client_id=${client.id}&redirect_uri=%00`,
      `${encode({ client_id: client.id, redirect_uri: client.redirectUri })}&scope[a]=b&response_type=%ff`,
      `${encode({ client_id: client.id, redirect_uri: client.redirectUri, response_type: 'code' })}&id_token_hint=a.b.c`,
      `client_id=${client.id}&max_age=-1&prompt=none%20login&response_type=code`,
    ]) {
      const { status } = await running().request('GET', `/oauth2/authorize?${query}`);
      assert.ok(status < 500, `${status} ${query}`);
    }
    for (const authorization of ['', 'Bearer', 'Bearer a b', 'Basic x', `Bearer ${'x'.repeat(5000)}`])
      assert.ok((await running().request('GET', '/oauth2/userinfo', { headers: { authorization } })).status < 500);
  });

  test('a state that is longer than described is refused instead of repeated', async () => {
    const client = await registerClient(running());
    const ask = (state: string) => openBrowser(running()).get(authorizeAddress(client, newVerifier(), { state }));
    assert.equal((await ask('s'.repeat(4096))).status, 302);
    const refused = await ask('s'.repeat(4097));
    assert.deepEqual([refused.status, refused.location], [400, '']);
  });

  test('a page can use the endpoints from a listed origin, and can read the error from any other', async () => {
    const origin = 'https://page.example';
    const client = await registerClient(running(), { clientType: 'public', origins: [origin] });
    const code = await getCode(running(), client);
    const body = encode({
      grant_type: 'authorization_code',
      client_id: client.id,
      code: code.code,
      code_verifier: code.verifier,
      redirect_uri: client.redirectUri,
    });
    const from = (page: string) =>
      running().request('POST', '/oauth2/token', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: page },
        body,
      });
    const stranger = await from('https://attacker.example');
    assert.deepEqual([stranger.status, stranger.json.error], [400, 'invalid_request']);
    assert.match(stranger.json.error_description, /origin https:\/\/attacker\.example not allowed/);
    assert.equal(stranger.headers.get('access-control-allow-origin'), '*');
    const own = await from(origin);
    assert.deepEqual([own.status, own.headers.get('access-control-allow-origin')], [200, '*']);
    const person = await running().request('GET', '/oauth2/userinfo', {
      headers: { origin, authorization: `Bearer ${own.json.access_token}` },
    });
    assert.deepEqual([person.status, person.headers.get('access-control-allow-origin')], [200, '*']);
    assert.equal(person.headers.get('access-control-allow-credentials'), null);
  });

  test('an application that lists no origins is used from any page, and a page reads that its secret is wrong', async () => {
    const client = await registerClient(running());
    const ask = (secret: string) =>
      running().request('POST', '/oauth2/token', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://anywhere.example' },
        body: encode({ grant_type: 'client_credentials', client_id: client.id, client_secret: secret }),
      });
    const taken = await ask(client.secret ?? '');
    assert.deepEqual([taken.status, taken.headers.get('access-control-allow-origin')], [200, '*']);
    const refused = await ask('lk_cs_wrong');
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, '*']);
    const authorize = await running().request('GET', '/oauth2/authorize', {
      headers: { origin: 'https://anywhere.example' },
    });
    assert.equal(authorize.headers.get('access-control-allow-origin'), null);
  });
}
