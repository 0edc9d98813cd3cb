import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { Secret, TOTP } from 'otpauth';
import { confirmAuthenticator } from '../../identity/totp/authenticator-operations.ts';
import { totpSealed, verifyTotp } from '../../identity/totp/index.ts';
import { generateTotpQrCode } from '../../identity/totp/operations.ts';
import { newDevice, newPerson, type Person, register } from '../../identity/webauthn/testing.ts';
import { switchOn } from '../../surfaces/login-methods/wallet-sign-in.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { ensureSigningKeys } from '../signing-keys/index.ts';
import type { LoginMethod } from './index.ts';

describe('adding a login method to an account', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('login-method-notices');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const noticesOf = async ({ userId }: Person) =>
    (
      await t.services.db.system
        .selectFrom('jobs')
        .select('payload')
        .where('name', '=', 'security-notices.tell')
        .orderBy('id')
        .execute()
    )
      .map(({ payload }) => payload as { userId: string; loginMethod: string })
      .filter((notice) => notice.userId === userId)
      .map(({ loginMethod }) => loginMethod);

  async function startEnrolment(person: Person): Promise<string> {
    await generateTotpQrCode(t.as(person), { requestId: 'phone' });
    return codeOf(person);
  }

  /** Returns the current code of the user's authenticator app. */
  async function codeOf({ userId }: Person): Promise<string> {
    const row = await t.services.db.system
      .selectFrom('totp_enrolments')
      .select('secret')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    const plain = t.services.keyring.open(totpSealed[0]?.placeOf(userId, 'phone') ?? '', row.secret ?? '');
    const secret = new Secret({ buffer: new Uint8Array(plain).buffer });
    return TOTP.generate({ secret, timestamp: t.services.clock().getTime() });
  }

  /**
   * Every operation that adds a login method or a second factor, by the notice its owner gets. The command that creates
   * an operator token has its own test.
   */
  const openings: Record<
    Exclude<LoginMethod, 'operator-token'>,
    Record<string, (person: Person) => Promise<unknown>>
  > = {
    'passkey-added': {
      'registering a passkey': (person) => register(t, person, newDevice()),
    },
    'authenticator-added': {
      'confirming an authenticator app on the account page': async (person) =>
        confirmAuthenticator(t.as(person), { requestId: 'phone', body: { code: await startEnrolment(person) } }),
      'using the first code of an authenticator app': async (person) =>
        verifyTotp(t.services, person.userId, await startEnrolment(person)),
    },
    'wallet-signs-in': {
      'letting a linked wallet sign in': async (person) => {
        const id = `link-of-${person.userId}`;
        await sql`
          insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
          values (${id}, ${person.userId}, 'discord', 'evm', '0x01', ${t.services.clock()})`.execute(
          t.services.db.system,
        );
        await switchOn(t.as({ ...person, presence: { how: 'passkey', at: t.services.clock() } }), { id });
      },
    },
  };

  for (const [loginMethod, operations] of Object.entries(openings))
    for (const [operation, run] of Object.entries(operations))
      test(`${operation} notifies the owner once`, async () => {
        const person = newPerson();
        await run(person);
        assert.deepEqual(await noticesOf(person), [loginMethod]);
      });

  test('a later code of the same authenticator app sends no notification', async () => {
    const person = newPerson();
    await verifyTotp(t.services, person.userId, await startEnrolment(person));
    t.advanceSeconds(30);
    await verifyTotp(t.services, person.userId, await codeOf(person));
    assert.deepEqual(await noticesOf(person), ['authenticator-added']);
  });
});
