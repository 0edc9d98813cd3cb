import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { drawQrCode } from '../../services/qrcode/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { confirmAuthenticator, listAuthenticators, removeAuthenticator } from './authenticator-operations.ts';
import { totpSealed, verifyTotp } from './index.ts';
import { removeExpiredEnrolments } from './jobs.ts';
import { generateTotpQrCode } from './operations.ts';

describe('totp', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('totp');
  });
  after(() => t.close());

  let people = 0;

  /** A new user, so that no test depends on another one's attempts. */
  function newPerson() {
    people += 1;
    const actor: Actor & { kind: 'user' } = {
      kind: 'user',
      userId: `DIS#USER#${people}`,
      platform: 'discord',
      name: `person ${people}`,
      scopes: ['$all'],
      credential: 'wallet-session',
    };
    const ctx = t.as(actor);
    return {
      ctx,
      userId: actor.userId,
      enrol: (requestId: string) => generateTotpQrCode(ctx, { requestId }),
      verify: (code: string) => verifyTotp(ctx, actor.userId, code),
      confirm: (requestId: string, body: { code: string; currentCode?: string }) =>
        confirmAuthenticator(ctx, { requestId, body }),
      list: () => listAuthenticators(ctx),
      remove: (requestId: string) =>
        removeAuthenticator(t.as({ ...actor, presence: { how: 'wallet', at: t.services.clock() } }), { requestId }),
      code: async (requestId: string, steps = 0) => codeOf(await readSecret(actor.userId, requestId), steps),
      wrongCode: async (requestId: string) => {
        const secret = await readSecret(actor.userId, requestId);
        const near = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps));
        return ['000000', '000001', '000002', '000003', '000004', '000005'].find((code) => !near.includes(code)) ?? '';
      },
    };
  }

  async function readSecret(userId: string, requestId: string): Promise<Buffer> {
    const { secret } = await t.services.db.system
      .selectFrom('totp_enrolments')
      .select('secret')
      .where('user_id', '=', userId)
      .where('request_id', '=', requestId)
      .executeTakeFirstOrThrow();
    const place = totpSealed[0]?.placeOf(userId, requestId) ?? '';
    return t.services.keyring.open(place, secret ?? '');
  }

  /** A minimal second implementation of RFC 4226 and RFC 6238. */
  function codeOf(secret: Buffer, steps: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(t.services.clock().getTime() / 30_000) + steps));
    const mac = createHmac('sha1', secret).update(counter).digest();
    const offset = (mac[19] ?? 0) & 0xf;
    return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
  }

  async function statesOf(userId: string): Promise<Record<string, string>> {
    const rows = await t.services.db.system
      .selectFrom('totp_enrolments')
      .selectAll()
      .where('user_id', '=', userId)
      .execute();
    return Object.fromEntries(rows.map(({ request_id, state }) => [request_id, state]));
  }

  const isGone = { code: 'ENTITY_NOT_FOUND' };
  const isWrong = { code: 'INVALID_OTP' };
  const isLocked = { code: 'TOO_MANY_TRIES' };

  test('the QR code contains the secret, and stays the same until a code is accepted', async () => {
    const person = newPerson();
    const picture = await person.enrol('phone');
    const base32 = encodeBase32(await readSecret(person.userId, 'phone'));
    assert.match(base32, /^[A-Z2-7]{32}$/);
    const uri = `otpauth://totp/Latchkey:person%20${people}?secret=${base32}&issuer=Latchkey&algorithm=SHA1&digits=6&period=30`;
    assert.deepEqual(picture, drawQrCode(uri));
    t.advanceSeconds(15 * 60 - 1);
    assert.deepEqual(await person.enrol('phone'), picture);
    assert.equal(await person.verify(await person.code('phone')), true);
    await assert.rejects(person.enrol('phone'), isGone);
  });

  function encodeBase32(bytes: Buffer): string {
    const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    return bits.replaceAll(/.{5}/g, (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)] ?? '');
  }

  test('a secret that cannot be decrypted is unavailable, not a wrong code, and costs no attempt', async () => {
    const person = newPerson();
    await person.enrol('phone');
    const open = () => {
      throw new TypeError('The key file cannot be read.');
    };
    const broken = { ...t.services, keyring: { ...t.services.keyring, open } };
    const code = await person.code('phone');
    for (let tries = 0; tries < 10; tries += 1)
      await assert.rejects(verifyTotp(broken, person.userId, code), { code: 'UNAVAILABLE' });
    assert.equal(await person.verify(code), true);
  });

  test('concurrent first calls with one id return one QR code', async () => {
    const person = newPerson();
    const pictures = await Promise.all(Array.from({ length: 10 }, () => person.enrol('phone')));
    assert.equal(new Set(pictures.map((picture) => Buffer.from(picture).toString('base64'))).size, 1);
  });

  test('an enrolment that was not confirmed within 15 minutes is deleted', async () => {
    const person = newPerson();
    await person.enrol('phone');
    t.advanceSeconds(15 * 60);
    await assert.rejects(person.verify(await person.code('phone')), isWrong);
    await assert.rejects(person.enrol('phone'), isGone);
    assert.ok(await person.enrol('phone-2'));
  });

  test('the same id is a different enrolment for another user, and row policies hide it', async () => {
    const [one, other] = [newPerson(), newPerson()];
    await one.enrol('phone');
    await other.enrol('phone');
    const code = await one.code('phone');
    assert.notEqual(code, await other.code('phone'));
    await assert.rejects(other.verify(code), isWrong);
    const seen = await other.ctx.tx((tx) => tx.selectFrom('totp_enrolments').select('user_id').execute());
    assert.deepEqual(seen, [{ user_id: other.userId }]);
    const guards = await other.ctx.tx((tx) => tx.selectFrom('totp_guards').select('user_id').execute());
    assert.deepEqual(guards, [{ user_id: other.userId }]);
  });

  test('a step is valid once, in any order, up to two steps away', async () => {
    const person = newPerson();
    await person.enrol('phone');
    for (const steps of [2, 0, -2, 1, -1]) {
      const code = await person.code('phone', steps);
      assert.equal(await person.verify(code), true, `${steps} steps off`);
      await assert.rejects(person.verify(code), { ...isWrong, message: /already used/ });
    }
    for (const steps of [-3, 3]) await assert.rejects(person.verify(await person.code('phone', steps)), isWrong);
  });

  test('of fifty uses of one code at once, one succeeds', async () => {
    const person = newPerson();
    await person.enrol('phone');
    const code = await person.code('phone');
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => person.verify(code)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await person.verify(await person.code('phone', 1)), true, 'repeating a right code locks no user out');
  });

  test('five wrong codes lock that person alone, for 15 minutes', async () => {
    const [person, other] = [newPerson(), newPerson()];
    await person.enrol('phone');
    await other.enrol('phone');
    const wrong = await person.wrongCode('phone');
    for (let tries = 0; tries < 5; tries++) await assert.rejects(person.verify(wrong), isWrong);
    await assert.rejects(person.verify(await person.code('phone')), { ...isLocked, retryAfterSeconds: 900 });
    t.advanceSeconds(899);
    await assert.rejects(person.verify(await person.code('phone')), { ...isLocked, retryAfterSeconds: 1 });
    assert.equal(await other.verify(await other.code('phone')), true);
    t.advanceSeconds(1);
    await person.enrol('phone-2');
    assert.equal(await person.verify(await person.code('phone-2')), true);
  });

  test('fifty concurrent wrong codes count as five attempts', async () => {
    const person = newPerson();
    await person.enrol('phone');
    const wrong = await person.wrongCode('phone');
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => person.verify(wrong)));
    const codes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'accepted'));
    assert.deepEqual(
      [codes.filter((code) => code === 'INVALID_OTP').length, codes.filter((code) => code === 'TOO_MANY_TRIES').length],
      [5, 45],
    );
  });

  test('a correct code resets the count of wrong ones', async () => {
    const person = newPerson();
    await person.enrol('phone');
    const wrong = await person.wrongCode('phone');
    for (const steps of [0, 1]) {
      for (let tries = 0; tries < 4; tries++) await assert.rejects(person.verify(wrong), isWrong);
      assert.equal(await person.verify(await person.code('phone', steps)), true);
    }
  });

  test('attempts still count when the surrounding transaction is rolled back', async () => {
    const person = newPerson();
    await person.enrol('phone');
    const [right, wrong] = [await person.code('phone'), await person.wrongCode('phone')];
    const rollBack = (code: string) =>
      person.ctx.tx(async () => {
        await person.verify(code);
        throw new Error('the work failed');
      });
    await assert.rejects(rollBack(right), /the work failed/);
    await assert.rejects(person.verify(right), isWrong);
    for (let tries = 0; tries < 5; tries++) await assert.rejects(rollBack(wrong), isWrong);
    await assert.rejects(person.verify(wrong), isLocked);
  });

  test('a user without an app has no valid code', async () => {
    await assert.rejects(newPerson().verify('000000'), isWrong);
  });

  test('a started enrolment has no effect while another app is confirmed', async () => {
    const person = newPerson();
    await person.enrol('old');
    await person.verify(await person.code('old'));
    await person.enrol('new');
    await assert.rejects(person.verify(await person.code('new')), isWrong);
    assert.equal(await person.verify(await person.code('old', 1)), true);
  });

  test('a second app is confirmed against a code of each, and both count from then on', async () => {
    const person = newPerson();
    await person.enrol('old');
    await person.verify(await person.code('old'));
    await person.enrol('new');
    const right = { currentCode: await person.code('old', 1), code: await person.code('new') };
    const wrong = [
      { code: right.code },
      { ...right, currentCode: await person.code('old') },
      { ...right, currentCode: await person.wrongCode('old') },
      { ...right, code: await person.wrongCode('new') },
      { code: right.code, currentCode: await person.code('new', 1) },
    ];
    for (const codes of wrong) await assert.rejects(person.confirm('new', codes), isWrong);
    assert.deepEqual(await statesOf(person.userId), { new: 'pending', old: 'confirmed' });
    assert.equal((await person.confirm('new', right)).status, 'confirmed');
    assert.deepEqual(await statesOf(person.userId), { new: 'confirmed', old: 'confirmed' });
    await assert.rejects(person.verify(right.code), isWrong);
    await assert.rejects(person.verify(right.currentCode), isWrong);
    assert.equal(await person.verify(await person.code('new', 1)), true);
    assert.equal(await person.verify(await person.code('old', 2)), true);
    await assert.rejects(person.enrol('new'), isGone);
    const report = await t.services.db.system.selectFrom('jobs').select('payload').execute();
    assert.ok(report.some(({ payload }) => JSON.stringify(payload).includes('authenticator-added')));
  });

  test('the first app is confirmed with its own code, and only its owner’s', async () => {
    const [person, other] = [newPerson(), newPerson()];
    await person.enrol('phone');
    const code = await person.code('phone');
    await assert.rejects(other.confirm('phone', { code }), isGone);
    assert.equal((await person.confirm('phone', { code })).status, 'confirmed');
    await assert.rejects(person.confirm('phone', { code: await person.code('phone', 1) }), isGone);
  });

  test('five apps can be in use, and five wrong codes lock the confirmation too', async () => {
    const person = newPerson();
    await person.enrol('app-0');
    await person.confirm('app-0', { code: await person.code('app-0') });
    for (let app = 1; app < 5; app++) {
      t.advanceSeconds(90);
      await person.enrol(`app-${app}`);
      const code = await person.code(`app-${app}`);
      await person.confirm(`app-${app}`, { code, currentCode: await person.code('app-0') });
    }
    t.advanceSeconds(90);
    await person.enrol('app-5');
    const codes = { code: await person.code('app-5'), currentCode: await person.code('app-0') };
    await assert.rejects(person.confirm('app-5', codes), { code: 'STATE_CONFLICT' });
    await person.remove('app-1');
    const guess = { ...codes, currentCode: await person.wrongCode('app-0') };
    for (let tries = 0; tries < 5; tries++) await assert.rejects(person.confirm('app-5', guess), isWrong);
    await assert.rejects(person.confirm('app-5', codes), isLocked);
  });

  test('apps are listed and removed by their owner alone, who must have just signed in', async () => {
    const [person, other] = [newPerson(), newPerson()];
    await person.enrol('phone');
    await person.verify(await person.code('phone'));
    t.advanceSeconds(1);
    await person.enrol('tablet');
    const listed = await person.list();
    assert.deepEqual(
      listed.map(({ id, status, expiresAt }) => [id, status, expiresAt !== undefined]),
      [
        ['phone', 'confirmed', false],
        ['tablet', 'pending', true],
      ],
    );
    assert.deepEqual(await other.list(), []);
    await assert.rejects(other.remove('phone'), isGone);
    await assert.rejects(removeAuthenticator(person.ctx, { requestId: 'phone' }), { code: 'PRESENCE_REQUIRED' });
    const code = await person.code('phone', 1);
    await person.remove('phone');
    await person.remove('tablet');
    assert.deepEqual(await person.list(), []);
    await assert.rejects(person.verify(code), isWrong);
    await assert.rejects(person.remove('phone'), isGone);
  });

  test('five enrolments can be open at a time, also when many are started at once', async () => {
    const person = newPerson();
    const started = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => person.enrol(`phone-${index}`)));
    assert.equal(started.filter(({ status }) => status === 'fulfilled').length, 5);
    t.advanceSeconds(60);
    await assert.rejects(person.enrol('one-more'), { code: 'RATE_LIMITED', retryAfterSeconds: 14 * 60 });
    t.advanceSeconds(14 * 60);
    assert.ok(await person.enrol('one-more'));
  });

  test('an id of another form is refused by the database too', async () => {
    await assert.rejects(newPerson().enrol('a/b'), /request_id_check/);
  });

  test('the hourly job deletes the secrets of expired enrolments, later the rest, and never a confirmed one', async () => {
    const person = newPerson();
    await person.enrol('used');
    await person.verify(await person.code('used'));
    await person.enrol('expired');
    const run = () =>
      removeExpiredEnrolments.run(t.services, {}, { id: 'job', attempt: 1, signal: new AbortController().signal });
    t.advanceSeconds(15 * 60);
    await person.enrol('fresh');
    await run();
    assert.deepEqual(await statesOf(person.userId), { expired: 'retired', fresh: 'pending', used: 'confirmed' });
    await assert.rejects(person.enrol('expired'), isGone);
    t.advanceSeconds(24 * 60 * 60);
    await run();
    assert.deepEqual(await statesOf(person.userId), { fresh: 'retired', used: 'confirmed' });
    assert.equal(await person.verify(await person.code('used')), true);
  });

  test('no secret is readable in the tables or in the log', async () => {
    const person = newPerson();
    await person.enrol('phone');
    const secret = await readSecret(person.userId, 'phone');
    const tables = await t.services.db.system.selectFrom('totp_enrolments').selectAll().execute();
    const written = JSON.stringify(tables) + t.log.lines.join('\n');
    assert.match(written, new RegExp(person.userId));
    for (const form of [
      encodeBase32(secret),
      secret.toString('hex'),
      secret.toString('base64url'),
      secret.toString('base64'),
    ]) {
      assert.ok(!written.includes(form));
    }
  });
});
