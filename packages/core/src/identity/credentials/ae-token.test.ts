import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createKeyring, systemRandom } from '@latchkey/db';
import {
  CompactEncrypt,
  type CompactJWEHeaderParameters,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { currentKey, ensureSigningKeys, publicPem, rotateKey } from '../../services/signing-keys/index.ts';
import { alice, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { issueAeToken, revokeAeToken, verifyAeToken } from './index.ts';

const user = {
  userId: 'DIS#USER#100',
  platform: 'discord',
  name: 'alice',
  scopes: ['user:read', 'user:wallet:read'],
  credential: 'passkey-session' as const,
};
const refused = { name: 'AppError', code: 'INVALID_CREDENTIAL' };

describe('AE tokens', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('ae-token');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const issue = () => issueAeToken(t.services, { ...user, ttlSeconds: 3600 });

  /** Creates a token that is valid except for the given fields. */
  async function forge(wrong: {
    claims?: JWTPayload;
    header?: Partial<JWTHeaderParameters>;
    sign?: (jwt: SignJWT) => Promise<string>;
    outer?: Partial<CompactJWEHeaderParameters>;
    key?: Uint8Array;
  }): Promise<string> {
    const { kid, privateKey } = await currentKey(t.services, 'jwt');
    const now = Math.floor(t.services.clock().getTime() / 1000);
    const url = t.services.settings.baseUrl;
    const claims = {
      sub: user.userId,
      platform: 'discord',
      scope: '',
      credential: 'passkey-session',
      jti: 'j',
      iss: url,
      aud: url,
      iat: now,
      exp: now + 60,
    };
    const jwt = new SignJWT({ ...claims, ...wrong.claims });
    jwt.setProtectedHeader({ alg: 'ES256', kid, typ: 'ae+jwt', ...wrong.header });
    const signed = await (wrong.sign ?? ((made) => made.sign(privateKey)))(jwt);
    const [current] = t.services.keyring.derive('ae-token');
    assert.ok(current);
    const outer = { alg: 'dir', enc: 'A256GCM', kid: current.id, cty: 'JWT', ...wrong.outer };
    return new CompactEncrypt(Buffer.from(signed)).setProtectedHeader(outer).encrypt(wrong.key ?? current.key);
  }

  test('a token represents the user it was issued to', async () => {
    const { sessionId, ...actor } = await verifyAeToken(t.services, await issue());
    assert.ok(sessionId);
    assert.deepEqual(actor, { kind: 'user', ...user });
    const bare = await issueAeToken(t.services, {
      userId: 'u',
      platform: 'telegram',
      scopes: [],
      credential: 'connect-link',
      ttlSeconds: 1,
    });
    const { sessionId: _id, ...plain } = await verifyAeToken(t.services, bare);
    assert.deepEqual(plain, {
      kind: 'user',
      userId: 'u',
      platform: 'telegram',
      scopes: [],
      credential: 'connect-link',
    });
  });

  test('a token records how the user last proved presence, and for which application it was issued', async () => {
    const presence = { how: 'passkey' as const, at: t.services.clock() };
    const seen = await verifyAeToken(t.services, await issueAeToken(t.services, { ...user, presence, ttlSeconds: 60 }));
    assert.deepEqual(seen.presence, presence);
    const client = { id: 'app', name: 'App', allowedScopes: ['user:read'], disallowedScopes: [] };
    const internal = { ...client, allowedScopes: ['user:read', '$internal'] };
    const forApp = { ...user, scopes: [], credential: 'identity-token' as const, clientId: 'app', ttlSeconds: 60 };
    const token = await issueAeToken(t.services, forApp);
    assert.deepEqual((await verifyAeToken(t.services, token, async () => internal)).client, client);
    await assert.rejects(verifyAeToken(t.services, token), refused);
    await assert.rejects(
      verifyAeToken(t.services, token, async () => undefined),
      refused,
    );
  });

  test('a token built manually like ours is accepted, so that the refusals below mean something', async () => {
    assert.equal((await verifyAeToken(t.services, await forge({}))).kind, 'user');
  });

  test('only the server can read a token', async () => {
    const token = await issue();
    const readable = token
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join();
    assert.equal(readable.includes('alice') || readable.includes('DIS#USER'), false);
  });

  test('two tokens of one user differ', async () => {
    assert.notEqual(await issue(), await issue());
  });

  test('a token with any one character changed is refused', async () => {
    const token = await issue();
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'A' ? 'B' : 'A';
      await assert.rejects(
        verifyAeToken(t.services, token.slice(0, at) + other + token.slice(at + 1)),
        refused,
        `at ${at}`,
      );
    }
  });

  test('a token is refused in any other encoding, even one that decodes to the same bytes', async () => {
    const token = await issue();
    const [header = '', , iv = '', text = '', tag = ''] = token.split('.');
    // 22 characters encode 132 bits, of which 128 are used, so 16 last characters encode the same tag.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(tag.at(-1) ?? '');
    const spareBits = `${tag.slice(0, -1)}${alphabet[last + 1]}`;
    const writings = [
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `${token}=`,
      `${token}==`,
      token.replace('.', '. '),
      `${token}.`,
      `${header}..${iv}.${text}.${spareBits}`,
      `${header}..${iv}.${text.slice(0, 8)}\n${text.slice(8)}.${tag}`,
      `${header}..${iv}.${text.replaceAll('_', '/').replaceAll('-', '+')}.${tag}`,
      `${header}.${Buffer.from('key').toString('base64url')}.${iv}.${text}.${tag}`,
      `${header}...${text}.${tag}`,
      `${header}..${iv}..${tag}`,
      `${header}..${iv}.${text}.`,
      '',
      '....',
      'null',
      'e30..e30.e30.e30',
      'bnVsbA..AAAA.AAAA.AAAA',
      `${token}${'A'.repeat(9000)}`,
    ].filter((writing) => writing !== token);
    for (const writing of writings)
      await assert.rejects(verifyAeToken(t.services, writing), refused, writing.slice(0, 40));
  });

  test('only the algorithms of our own tokens are accepted', async () => {
    const { kid, publicKey } = await currentKey(t.services, 'jwt');
    const none = `${b64({ alg: 'none', typ: 'ae+jwt', kid })}.${b64({ sub: 'u' })}.`;
    const rs256 = `${b64({ alg: 'RS256', typ: 'ae+jwt', kid })}.${b64({ sub: 'u' })}.${b64('x')}`;
    const withPublicKey = (jwt: SignJWT) => jwt.sign(Buffer.from(publicPem(publicKey)));
    const forgeries = [
      await forge({ sign: async () => none }),
      await forge({ sign: async () => rs256 }),
      await forge({ header: { alg: 'HS256' }, sign: withPublicKey }),
      await forge({ outer: { alg: 'A256KW' } }),
      await forge({ outer: { alg: 'A256GCMKW' } }),
      await forge({ outer: { enc: 'A128GCM' }, key: new Uint8Array(16) }),
      await forge({ outer: { enc: 'A256CBC-HS512' }, key: new Uint8Array(64) }),
    ];
    for (const [n, token] of forgeries.entries())
      await assert.rejects(verifyAeToken(t.services, token), refused, `${n}`);
  });

  test('a header that contains or names its own key, or requests features, is refused', async () => {
    const { privateKey, publicKey } = await currentKey(t.services, 'jwt');
    const jwk = publicKey.export({ format: 'jwk' });
    const fields: Partial<JWTHeaderParameters>[] = [
      { jwk },
      { jku: 'https://evil.test/jwks.json' },
      { x5u: 'https://evil.test/cert.pem' },
      { x5c: ['AAAA'] },
      { kid: 'unknown' },
      { kid: '../../dev/null' },
      { typ: 'JWT' },
      { typ: 'at+jwt' },
    ];
    for (const field of fields) {
      await assert.rejects(verifyAeToken(t.services, await forge({ header: field })), refused, JSON.stringify(field));
    }
    for (const field of [{ jwk }, { jku: 'https://evil.test' }, { kid: 'other' }, { p2c: 1 }]) {
      await assert.rejects(verifyAeToken(t.services, await forge({ outer: field })), refused, JSON.stringify(field));
    }
    const critical = await forge({
      header: { crit: ['feature'], feature: true },
      sign: (jwt) => jwt.sign(privateKey, { crit: { feature: true } }),
    });
    await assert.rejects(verifyAeToken(t.services, critical), refused);
  });

  test('claims that are missing, from another server or outside their time are refused', async () => {
    const now = Math.floor(t.services.clock().getTime() / 1000);
    const wrong: JWTPayload[] = [
      { iss: 'http://other.test' },
      { aud: 'http://other.test' },
      { aud: [] },
      { iss: undefined },
      { aud: undefined },
      { exp: undefined },
      { iat: undefined },
      { jti: undefined },
      { sub: undefined },
      { platform: undefined },
      { scope: ['$all'] },
      { exp: now - 60 },
      { iat: now + 61 },
      { iat: now - 3661 },
      { nbf: now + 61 },
    ];
    for (const claims of wrong) {
      await assert.rejects(verifyAeToken(t.services, await forge({ claims })), refused, JSON.stringify(claims));
    }
  });

  test('a token expires on time, within a minute of clock skew', async () => {
    const token = await issueAeToken(t.services, { ...user, ttlSeconds: 100 });
    t.advanceSeconds(159);
    await verifyAeToken(t.services, token);
    t.advanceSeconds(1);
    await assert.rejects(verifyAeToken(t.services, token), refused);
  });

  test('a token of another server is refused, even when both share their keys', async () => {
    const other = { ...t.services, settings: { ...t.services.settings, baseUrl: 'http://other.test' } };
    const token = await issueAeToken(other, { ...user, ttlSeconds: 60 });
    await assert.rejects(verifyAeToken(t.services, token), refused);
    const stranger = createKeyring([{ id: 'test', key: systemRandom.bytes(32) }], systemRandom);
    const [key] = stranger.derive('ae-token');
    await assert.rejects(verifyAeToken(t.services, await forge(key === undefined ? {} : { key: key.key })), refused);
  });

  test('a revoked token is refused at once and for the rest of its lifetime, and no other token is', async () => {
    const [token, other] = [await issue(), await issue()];
    await revokeAeToken(t.services, token);
    await revokeAeToken(t.services, token);
    await assert.rejects(verifyAeToken(t.services, token), refused);
    await verifyAeToken(t.services, other);
    const [row] = await t.services.db.system.selectFrom('revoked_tokens').selectAll().execute();
    assert.equal(row?.expires_at.getTime(), t.services.clock().getTime() + (3600 + 60) * 1000);
    await assert.rejects(revokeAeToken(t.services, `${token}A`), refused);
  });

  test('tokens outlive a rotation of the signing key and of the master key', async () => {
    const token = await issue();
    await rotateKey(t.services, 'jwt');
    await verifyAeToken(t.services, token);
    const fresh = await issue();
    await verifyAeToken(t.services, fresh);

    const keys = { old: { id: 'one', key: systemRandom.bytes(32) }, next: { id: 'two', key: systemRandom.bytes(32) } };
    const before = createKeyring([keys.old], systemRandom);
    const after = createKeyring([keys.next, keys.old], systemRandom);
    // Only the outer layer matters here: the signing keys stay sealed with the old key.
    const derivedFrom = (ring: typeof before) => ({
      ...t.services,
      keyring: { ...t.services.keyring, derive: ring.derive },
    });
    const old = await issueAeToken(derivedFrom(before), { ...user, ttlSeconds: 60 });
    await verifyAeToken(derivedFrom(after), old);
    await assert.rejects(verifyAeToken(derivedFrom(createKeyring([keys.next], systemRandom)), old), refused);
  });

  test('an oversized token is refused without decrypting it', async () => {
    await assert.rejects(verifyAeToken(t.services, await forge({ claims: { name: 'x'.repeat(9000) } })), refused);
  });

  test('a token cannot be issued for longer than an hour, or larger than the limit', async () => {
    for (const ttlSeconds of [0, -1, 3601, Number.NaN]) {
      await assert.rejects(
        issueAeToken(t.services, { ...user, ttlSeconds }),
        /An AE token is valid for 1 to 3600 seconds/,
      );
    }
    await assert.rejects(issueAeToken(t.services, { ...user, name: 'x'.repeat(9000), ttlSeconds: 1 }), /too long/);
  });

  test('when the database is down, a valid token is not called invalid', async () => {
    const token = await issue();
    const away = {
      ...t.services.db,
      pool: Object.assign(Object.create(t.services.db.pool), { query: () => Promise.reject(new Error('away')) }),
    };
    await assert.rejects(verifyAeToken({ ...t.services, db: away }, token), /away/);
  });

  test('no part of a token is logged', async () => {
    await assert.rejects(verifyAeToken(t.as(alice), `${await issue()}A`), refused);
    assert.deepEqual(t.log.lines, []);
  });
});

function b64(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}
