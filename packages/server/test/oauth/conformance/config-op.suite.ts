import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rotateKey } from '@latchkey/core';
import { decodeProtectedHeader, generateKeyPair, importJWK, jwtVerify, SignJWT } from 'jose';
import type { TestServer } from '../../harness/test-server.ts';
import { registerClient } from '../sample-client.ts';
import { setOauthSettings } from './oauth-settings.ts';
import { RelyingParty } from './relying-party.ts';

/** The module of the plan Config OP, and RS256, which it requires. */
export function configOpSuite(running: () => TestServer): void {
  test('oidcc-discovery-endpoint-verification: the metadata has what OpenID Connect Discovery requires, and RS256', async () => {
    const answer = await running().request('GET', '/.well-known/openid-configuration');
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    const metadata = answer.json;
    assert.equal(metadata.issuer, running().url);
    for (const endpoint of ['authorization', 'token', 'userinfo', 'end_session', 'introspection', 'revocation'])
      assert.ok(metadata[`${endpoint}_endpoint`].startsWith(`${running().url}/`), endpoint);
    for (const [field, required] of [
      ['response_types_supported', ['code']],
      ['subject_types_supported', ['public']],
      ['id_token_signing_alg_values_supported', ['RS256', 'ES256']],
      ['scopes_supported', ['openid', 'profile']],
      ['claims_supported', ['sub', 'iss', 'auth_time', 'sid']],
      ['grant_types_supported', ['authorization_code', 'refresh_token']],
      ['response_modes_supported', ['query', 'fragment', 'form_post']],
    ] as const)
      for (const value of required) assert.ok(metadata[field].includes(value), `${field} lacks ${value}`);
    for (const absent of ['email', 'phone'])
      assert.equal(metadata.scopes_supported.includes(absent), false, `${absent} is offered, but always empty`);

    const { keys } = (await running().request('GET', metadata.jwks_uri.slice(running().url.length))).json;
    assert.deepEqual(new Set(keys.map(({ alg }: { alg: string }) => alg)), new Set(['ES256', 'RS256']));
    for (const key of keys) {
      assert.ok(key.kid !== undefined && key.use === 'sig');
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(key[secret], undefined, secret);
      await importJWK(key, key.alg);
    }
  });

  test('an application that chooses RS256 gets id tokens signed with it, across rotations of both keys', async () => {
    const sample = await registerClient(running());
    await setOauthSettings(running(), sample, { id_token_signed_response_alg: 'RS256' });
    const rp = await RelyingParty.discover(running(), sample);
    rp.client.id_token_signed_response_alg = 'RS256';
    const first = await rp.logIn();
    const { kid, alg } = decodeProtectedHeader(first.id_token);
    assert.equal(alg, 'RS256');
    const other = await RelyingParty.discover(running(), await registerClient(running()));
    assert.equal(decodeProtectedHeader((await other.logIn()).id_token).alg, 'ES256', 'the default');

    await rotateKey(running().services, 'jwt-rs256');
    await rotateKey(running().services, 'jwt');
    // A client keeps the keys for a while, so another one reads the new ones. The hint of the retired key is accepted.
    const later = await RelyingParty.discover(running(), sample);
    Object.assign(later.client, rp.client);
    later.browser = rp.browser;
    const second = await later.logIn({ prompt: 'none', id_token_hint: first.id_token });
    assert.notEqual(decodeProtectedHeader(second.id_token).kid, kid);
    const { keys } = (await running().request('GET', '/.well-known/jwks.json')).json;
    const retired = keys.find((key: { kid: string }) => key.kid === kid);
    await jwtVerify(first.id_token, await importJWK(retired, 'RS256'), { issuer: running().url, audience: sample.id });

    const forged = await generateKeyPair('RS256');
    const foreign = await new SignJWT({ sub: first.claims.sub })
      .setProtectedHeader({ alg: 'RS256', kid: String(kid) })
      .setIssuer(running().url)
      .setAudience(sample.id)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(forged.privateKey);
    const refused = await later.authorize({ prompt: 'none', id_token_hint: foreign });
    assert.equal(refused.back.searchParams.get('error'), 'invalid_request');
  });
}
