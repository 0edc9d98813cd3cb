import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { TOTP } from 'otpauth';
import { recoverAddress } from 'viem';
import { type TestSigner, testSigner } from '../signer/testing.ts';
import { ensureSigningKeys } from '../signing-keys/index.ts';
import { type TestPlatform, testPlatform } from '../testing/index.ts';
import { generateTotpQrCode } from '../totp/enrol.ts';
import { totpSealed } from '../totp/index.ts';
import { storeAuthenticationResponse } from '../webauthn/store-authentication.ts';
import { answerOptions, type Device, newDevice, newPerson, register } from '../webauthn/testing.ts';
import { claimUserPkp } from './claim.ts';
import { checkPkpAvailability, getUserPkp } from './reads.ts';
import { signMessage } from './sign-message.ts';
import { memoryRegistry, startRegistrations } from './testing.ts';

const hash = `0x${'5a'.repeat(32)}` as const;
const restSeconds = 24 * 60 * 60;
const patience = { signerPatienceMs: 30_000, chainPatienceMs: 30_000 };

describe('standing for a bare hash', () => {
  let t: TestPlatform;
  let signer: TestSigner;
  let stop: () => Promise<void>;

  before(async () => {
    t = await testPlatform('step-up');
    await ensureSigningKeys(t.platform);
    t.platform.walletRegistry = memoryRegistry();
    t.platform.settings = { ...t.platform.settings, hostedWallets: { allowsHashes: true, ...patience } };
    signer = await testSigner(t, { allowsHashes: true });
    signer.start();
    const worker = startRegistrations(t);
    stop = () => worker.stop(1000);
  });
  after(async () => {
    await stop();
    await signer.close();
    await t.close();
  });

  async function newOwner() {
    const actor = newPerson();
    const address = (await claimUserPkp(t.as(actor))).pkp?.ethAddress ?? '';
    const sign = (otp?: string, message: string = hash) =>
      signMessage(t.as(actor), { body: { address, message, ...(otp !== undefined && { otp }) } });
    return { actor, address, sign };
  }

  /** What the app of a user shows, so many steps from now. */
  async function codeOf({ userId }: { userId: string }, requestId: string, steps = 0): Promise<string> {
    const { secret } = await t.platform.db.system
      .selectFrom('totp_enrolments')
      .select('secret')
      .where('user_id', '=', userId)
      .where('request_id', '=', requestId)
      .executeTakeFirstOrThrow();
    const plain = t.platform.keyring.open(totpSealed[0]?.placeOf(userId, requestId) ?? '', secret ?? '');
    const timestamp = t.platform.clock().getTime() + steps * 30_000;
    const { Secret } = await import('otpauth');
    return TOTP.generate({ secret: new Secret({ buffer: new Uint8Array(plain).buffer }), timestamp });
  }

  const signIn = async (actor: Actor, device: Device) =>
    storeAuthenticationResponse(t.as(actor), { body: await answerOptions(t, actor, device) });
  const isWrong = { code: 'INVALID_OTP' };

  test('an authenticator app of yesterday does, with each code once, and one of today does not', async () => {
    const { actor, address, sign } = await newOwner();
    await assert.rejects(sign(), { ...isWrong, message: /only with a one-time password or a passkey/ });
    await generateTotpQrCode(t.as(actor), { requestId: 'phone' });
    await assert.rejects(sign(await codeOf(actor, 'phone')), isWrong, 'an enrolment that nobody confirmed');
    const confirmed = await sign(await codeOf(actor, 'phone'), 'hello');
    assert.ok(confirmed.signature, 'a text with a code confirms the app');
    await assert.rejects(sign(await codeOf(actor, 'phone', 1)), isWrong, 'the app was enrolled today');
    t.advanceSeconds(restSeconds);
    const code = await codeOf(actor, 'phone');
    const { signature = '' } = await sign(code);
    assert.equal(await recoverAddress({ hash, signature: signature as `0x${string}` }), address);
    await assert.rejects(sign(code), { ...isWrong, message: /used already/ });
    await assert.rejects(sign('000000'), isWrong);
    assert.deepEqual((await getUserPkp(t.as(actor))).permittedActions?.at(-1), 'eth_sign');
  });

  test('a passkey of yesterday does, once for each sign-in, for its own user alone', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const device = newDevice();
    await register(t, owner.actor, device);
    await assert.rejects(owner.sign(await signIn(owner.actor, device)), {
      ...isWrong,
      message: /too short a time ago/,
    });
    t.advanceSeconds(restSeconds);
    const slug = await signIn(owner.actor, device);
    const { signature = '' } = await owner.sign(slug);
    assert.equal(await recoverAddress({ hash, signature: signature as `0x${string}` }), owner.address);
    await assert.rejects(owner.sign(slug), isWrong);
    await assert.rejects(other.sign(await signIn(owner.actor, device)), isWrong);
    const old = await signIn(owner.actor, device);
    t.advanceSeconds(5 * 60);
    await assert.rejects(owner.sign(old), isWrong);

    const { permittedAuthMethods = [] } = await getUserPkp(t.as(owner.actor));
    assert.deepEqual(
      permittedAuthMethods.map(({ type, scopes }) => [type, scopes]),
      [
        ['discord', ['user:pkp:sign']],
        ['webauthn', ['step-up']],
      ],
    );
    const onTelegram = { ...owner.actor, platform: 'telegram' };
    const all = { hasPkp: true, hasPasskey: true, hasPasskeyAuth: true };
    assert.deepEqual(await checkPkpAvailability(t.as(onTelegram)), all);
  });

  test('where the operator allows no hash, nothing is used up by asking', async () => {
    const { actor, address } = await newOwner();
    const device = newDevice();
    await register(t, actor, device);
    t.advanceSeconds(restSeconds);
    const otp = await signIn(actor, device);
    const ctx = { ...t.as(actor), settings: { ...t.platform.settings, hostedWallets: {} } };
    const off = { code: 'STATE_CONFLICT', message: /signs no bare hash/ };
    await assert.rejects(signMessage(ctx, { body: { address, message: hash, otp } }), off);
    assert.ok((await signMessage(t.as(actor), { body: { address, message: hash, otp } })).signature);
  });

  test('of twenty uses of one proof at once, one succeeds', async () => {
    const { actor, sign } = await newOwner();
    const device = newDevice();
    await register(t, actor, device);
    t.advanceSeconds(restSeconds);
    const slug = await signIn(actor, device);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => sign(slug)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });
});
