import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { currentKey, ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { alice, nobody, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { removeExpiredChallenges } from './jobs.ts';
import { openChallenge } from './open-response.ts';
import { generateAuthenticationOptions, verifyAuthenticationResponse } from './operations.ts';
import { answerOptions, newDevice, register } from './testing.ts';

describe('challenges', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('passkey-challenges');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const begin = (request: Parameters<typeof generateAuthenticationOptions>[1], actor = nobody) =>
    generateAuthenticationOptions(t.as(actor), request);
  const decode = (challenge: string) => Buffer.from(challenge, 'base64url').toString();
  const stored = () => t.services.db.system.selectFrom('webauthn_challenges').selectAll().execute();

  test('a slug is random, and commits to nothing of the caller’s', async () => {
    const { challenge, challengeText } = await begin({ challenge: 'mine' });
    assert.match(decode(challenge), /^[0-9A-Za-z]{32}$/);
    assert.equal(challengeText, undefined);
  });

  test('one for chains is the hash of a text with its terms', async () => {
    const { challenge, challengeText = '' } = await begin({ challengeFormat: 'chain', challenge: '0xabc' });
    assert.equal(createHash('sha256').update(challengeText).digest('base64url'), challenge);
    const [first, server, rpId, ceremony, nonce, expires, own, ...rest] = challengeText.split('\n');
    assert.deepEqual(
      [first, server, rpId, ceremony, own],
      [
        'latchkey webauthn challenge v1',
        'server: http://latchkey.test',
        'rpID: latchkey.test',
        'ceremony: authentication',
        'challenge: 0xabc',
      ],
    );
    assert.match(nonce ?? '', /^nonce: [0-9A-Za-z]{32}$/);
    assert.equal(expires, `expires: ${new Date(t.services.clock().getTime() + 300_000).toISOString()}`);
    assert.deepEqual(rest, []);
    const again = await begin({ challengeFormat: 'chain', challenge: '0xabc' });
    assert.notEqual(again.challenge, challenge);
  });

  test('a signed one contains its terms and is not stored before it is answered', async () => {
    const atFirst = (await stored()).length;
    const { challenge } = await begin(
      { challengeFormat: 'jwt', challenge: 'mine', userVerification: 'required' },
      alice,
    );
    assert.equal((await stored()).length, atFirst);
    const token = decode(challenge);
    const { typ, alg } = decodeProtectedHeader(token);
    assert.deepEqual([typ, alg], ['webauthn-challenge+jwt', 'ES256']);
    const { iss, aud, sub, rpID, ceremony, userVerification, exp = 0, iat = 0, ...rest } = decodeJwt(token);
    assert.deepEqual([iss, aud, sub], ['http://latchkey.test', 'http://latchkey.test', 'DIS#USER#100']);
    assert.deepEqual([rpID, ceremony, userVerification], ['latchkey.test', 'authentication', 'required']);
    assert.deepEqual([exp - iat, rest.challenge], [300, 'mine']);
  });

  test('other tokens of the same key are not challenges', async () => {
    const { kid, privateKey } = await currentKey(t.services, 'jwt');
    const now = t.services.clock();
    const sign = (change: { typ?: string; iss?: string; claims?: object; exp?: Date }) =>
      new SignJWT({
        ceremony: 'authentication',
        rpID: 'latchkey.test',
        userVerification: 'preferred',
        ...change.claims,
      })
        .setProtectedHeader({ alg: 'ES256', kid, typ: change.typ ?? 'webauthn-challenge+jwt' })
        .setIssuer(change.iss ?? 'http://latchkey.test')
        .setAudience('http://latchkey.test')
        .setJti(t.services.random.id())
        .setExpirationTime(change.exp ?? new Date(now.getTime() + 60_000))
        .sign(privateKey);
    const take = async (token: string) =>
      openChallenge(t.services, 'authentication', Buffer.from(token).toString('base64url'));
    assert.equal((await take(await sign({})))?.terms.rpId, 'latchkey.test');
    for (const change of [
      { typ: 'ae+jwt' },
      { typ: 'JWT' },
      { iss: 'http://evil.test' },
      { exp: new Date(now.getTime() - 1000) },
      { claims: { ceremony: 'registration' } },
      { claims: { ceremony: 'other' } },
      { claims: { userVerification: 'never' } },
      { claims: { rpID: 7 } },
    ]) {
      assert.equal(await take(await sign(change)), undefined, JSON.stringify(change));
    }
    const token = await sign({});
    const [header = '', payload = '', signature = ''] = token.split('.');
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'webauthn-challenge+jwt' })).toString('base64url');
    const other = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'other', typ: 'webauthn-challenge+jwt' }));
    for (const wrong of [
      `${unsigned}.${payload}.${signature}`,
      `${unsigned}.${payload}.A`,
      `${other.toString('base64url')}.${payload}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      'a.b.c',
    ]) {
      assert.equal(await take(wrong), undefined, wrong);
    }
    assert.ok(await take(token));
  });

  test('neither tables nor log hold a challenge, a slug or a token that could be used', async () => {
    const device = newDevice();
    await register(t, alice, device);
    const answer = await answerOptions(t, nobody, device);
    const open = [await begin({}), await begin({ challengeFormat: 'chain' }), await begin({ challengeFormat: 'jwt' })];
    await assert.rejects(verifyAuthenticationResponse(t.as(nobody), { body: { ...answer, id: 'AAAA' } }));
    const { idToken } = await verifyAuthenticationResponse(t.as(nobody), {
      body: await answerOptions(t, nobody, device),
    });
    const tables = ['webauthn_challenges', 'webauthn_credentials', 'webauthn_sign_ins', 'webauthn_users'] as const;
    const rows = await Promise.all(tables.map((table) => t.services.db.system.selectFrom(table).selectAll().execute()));
    const written = JSON.stringify(rows) + t.log.lines.join('\n');
    assert.match(written, /"user_id":"DIS#USER#100"/);
    for (const { challenge } of open) {
      assert.ok(!written.includes(challenge));
      assert.ok(!written.includes(decode(challenge)));
    }
    assert.ok(!written.includes(idToken));
  });

  test('the job deletes expired ones and no others, and stops when asked to', async () => {
    const old = await begin({});
    t.advanceSeconds(300);
    const fresh = await begin({});
    const full = (await stored()).length;
    const run = (signal: AbortSignal) => removeExpiredChallenges.run(t.services, {}, { id: 'job', attempt: 1, signal });
    await run(AbortSignal.abort());
    assert.equal((await stored()).length, full);
    await run(new AbortController().signal);
    assert.equal((await stored()).length, 1);
    assert.equal(await openChallenge(t.services, 'authentication', old.challenge), undefined);
    assert.ok(await openChallenge(t.services, 'authentication', fresh.challenge));
  });
});
