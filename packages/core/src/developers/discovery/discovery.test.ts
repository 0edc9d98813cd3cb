import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  anyone,
  choice,
  form,
  NoContent,
  type Operation,
  op,
  Redirect,
  type Resource,
  resource,
  shape,
  T,
} from '@latchkey/kernel';
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { currentKey, ensureSigningKeys, rotateKey } from '../../services/signing-keys/index.ts';
import { nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { describeProvider, getJwks } from './operations.ts';

const grant = (type: string) => T.Object({ grant_type: T.Literal(type) });
const oauth2 = resource('oauth2', 'A part of OAuth2, as far as discovery looks at it.', [
  op(
    'GET /oauth2/authorize',
    {
      id: 'authorize',
      sdk: 'OAuth2Controller.authorize',
      summary: 'Authorize',
      description: 'Sends a person to sign in.',
      access: anyone,
      params: {
        response_type: choice('What to answer with.', ['code', 'token']),
        code_challenge_method: T.Optional(choice('How the challenge was made.', ['S256'])),
      },
      returns: Redirect,
    },
    () => ({ location: '/' }),
  ),
  op(
    'POST /oauth2/token',
    {
      id: 'token',
      sdk: 'OAuth2Controller.token',
      summary: 'Token',
      description: 'Exchanges something for a token.',
      access: anyone,
      body: form(shape(T.Union([grant('authorization_code'), grant('refresh_token')]))),
      returns: NoContent,
    },
    () => undefined,
  ),
]);

// Operations of different contracts have no common type but this one; only their contracts are read here.
function served(...list: { name: string; description: string; operations: readonly unknown[] }[]): readonly Resource[] {
  return list.map((one) => ({ ...one, operations: one.operations as readonly Operation[] }));
}

describe('discovery', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('discovery');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  test('a token can be verified with the published keys alone, before and after a rotation', async () => {
    const makeToken = async () => {
      const { kid, privateKey } = await currentKey(t.services, 'jwt');
      return new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
    };
    const first = await makeToken();
    await rotateKey(t.services, 'jwt');
    const second = await makeToken();
    const { keys } = await getJwks(t.as(nobody));
    assert.equal(keys.length, 3);
    for (const token of [first, second]) {
      await jwtVerify(token, createLocalJWKSet({ keys }), { currentDate: t.services.clock() });
    }
  });

  test('only public parts of token keys are published', async () => {
    const { keys } = await getJwks(t.as(nobody));
    for (const { alg, use, kid: _, ...key } of keys) {
      const present = Object.entries(key).flatMap(([name, value]) => (value === undefined ? [] : [name]));
      assert.equal(use, 'sig');
      assert.deepEqual(present.toSorted(), alg === 'ES256' ? ['crv', 'kty', 'x', 'y'] : ['e', 'kty', 'n']);
      assert.deepEqual([key.kty, key.crv], alg === 'ES256' ? ['EC', 'P-256'] : ['RSA', undefined]);
    }
    assert.deepEqual(new Set(keys.map(({ alg }) => alg)), new Set(['ES256', 'RS256']));
    const { kid } = await currentKey(t.services, 'action-ecdsa');
    assert.equal(
      keys.some((key) => key.kid === kid),
      false,
    );
  });

  test('the metadata lists only endpoints that are served', () => {
    const metadata = describeProvider({ ...t.as(nobody), resources: [] });
    const promised = Object.entries(metadata).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    assert.deepEqual(promised, [
      'issuer',
      'jwks_uri',
      'scopes_supported',
      'subject_types_supported',
      'id_token_signing_alg_values_supported',
    ]);
    assert.equal(metadata.issuer, 'http://latchkey.test');
    assert.equal(metadata.jwks_uri, 'http://latchkey.test/.well-known/jwks.json');
    assert.ok(metadata.scopes_supported.includes('user:read'));
    assert.equal(
      metadata.scopes_supported.some((scope) => scope.startsWith('$')),
      false,
    );
  });

  test('endpoints, grants and PKCE methods appear with the operations that serve them', () => {
    const metadata = describeProvider({ ...t.as(nobody), resources: served(oauth2) });
    assert.equal(metadata.authorization_endpoint, 'http://latchkey.test/oauth2/authorize');
    assert.equal(metadata.token_endpoint, 'http://latchkey.test/oauth2/token');
    assert.deepEqual(metadata.response_types_supported, ['code', 'token']);
    assert.deepEqual(metadata.grant_types_supported, ['authorization_code', 'refresh_token', 'implicit']);
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
    assert.equal(metadata.introspection_endpoint, undefined);
    assert.equal(metadata.revocation_endpoint, undefined);
  });
});
