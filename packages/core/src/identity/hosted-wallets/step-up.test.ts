import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Actor, AppError } from '@latchkey/kernel';
import { TOTP } from 'otpauth';
import {
  hashTypedData,
  recoverAddress,
  recoverMessageAddress,
  recoverTypedDataAddress,
  type TypedDataDefinition,
} from 'viem';
import { type TestSigner, testSigner } from '../../services/signer/testing.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { totpSealed } from '../totp/index.ts';
import { generateTotpQrCode } from '../totp/operations.ts';
import { createLinkChallenge } from '../wallets/index.ts';
import { storeAuthenticationResponse } from '../webauthn/accept-assertion.ts';
import { verifyAuthenticationResponse } from '../webauthn/operations.ts';
import { answerOptions, type Device, newDevice, newPerson, register } from '../webauthn/testing.ts';
import type { ApprovalDetails } from './approval.ts';
import { checkPkpAvailability, claimUserPkp, getUserPkp, signMessage } from './operations.ts';
import { memoryRegistry, startRegistrations } from './testing.ts';

const hash = `0x${'5a'.repeat(32)}` as const;
const restSeconds = 24 * 60 * 60;
const patience = { signerPatienceMs: 30_000, chainPatienceMs: 30_000 };

const transfer: TypedDataDefinition = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
  primaryType: 'Permit',
  domain: { name: 'USD Coin', chainId: 1, verifyingContract: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' },
  message: {
    owner: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    spender: '0x1111111111111111111111111111111111111111',
    value: (2n ** 256n - 1n).toString(),
    nonce: '0',
    deadline: '1900000000',
  },
};
const permit = JSON.stringify(transfer);
const smallPermit = JSON.stringify({ ...transfer, message: { ...transfer.message, value: '1' } });

type Hex = `0x${string}`;

describe('approving what a hosted wallet signs', () => {
  let t: TestPlatform;
  let signer: TestSigner;
  let stop: () => Promise<void>;

  before(async () => {
    t = await testPlatform('step-up');
    await ensureSigningKeys(t.services);
    t.services.walletRegistry = memoryRegistry();
    t.services.settings = { ...t.services.settings, hostedWallets: { allowsHashes: true, ...patience } };
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
    const sign = (otp?: string, message: string = hash, as: Actor = actor) =>
      signMessage(t.as(as), { body: { address, message, ...(otp !== undefined && { otp }) } });
    return { actor, address, sign };
  }

  /** Returns the code of a user's app, this many steps from now. */
  async function codeOf({ userId }: { userId: string }, requestId: string, steps = 0): Promise<string> {
    const { secret } = await t.services.db.system
      .selectFrom('totp_enrolments')
      .select('secret')
      .where('user_id', '=', userId)
      .where('request_id', '=', requestId)
      .executeTakeFirstOrThrow();
    const plain = t.services.keyring.open(totpSealed[0]?.placeOf(userId, requestId) ?? '', secret ?? '');
    const timestamp = t.services.clock().getTime() + steps * 30_000;
    const { Secret } = await import('otpauth');
    return TOTP.generate({ secret: new Secret({ buffer: new Uint8Array(plain).buffer }), timestamp });
  }

  const isWrong = { code: 'INVALID_OTP' };

  /** Returns the details that a user is shown for approval. */
  async function announce(
    { actor, sign }: Pick<Awaited<ReturnType<typeof newOwner>>, 'actor' | 'sign'>,
    message: string = hash,
    as: Actor = actor,
  ): Promise<ApprovalDetails> {
    const refusal = await sign(undefined, message, as).then(
      () => assert.fail('it was signed without a proof'),
      (error: unknown) => error,
    );
    assert.ok(refusal instanceof AppError && refusal.code === 'INVALID_OTP', String(refusal));
    return refusal.details as ApprovalDetails;
  }

  /** Returns the slug of a passkey's response to the options of an announcement, or to a sign-in. */
  async function answer(actor: Actor, device: Device, details?: ApprovalDetails): Promise<string> {
    if (details === undefined)
      return storeAuthenticationResponse(t.as(actor), { body: await answerOptions(t, actor, device) });
    assert.ok(details.passkeyOptions, 'a passkey can respond');
    return storeAuthenticationResponse(t.as(actor), { body: device.get(details.passkeyOptions) });
  }

  async function ownerWithPasskey() {
    const owner = await newOwner();
    const device = newDevice();
    await register(t, owner.actor, device);
    t.advanceSeconds(restSeconds);
    return { ...owner, device };
  }

  async function ownerWithApp() {
    const owner = await newOwner();
    await generateTotpQrCode(t.as(owner.actor), { requestId: 'phone' });
    await owner.sign(await codeOf(owner.actor, 'phone'), 'hello');
    t.advanceSeconds(restSeconds);
    return owner;
  }

  test('a token alone gets neither typed data nor a hash signed, and is told what to show', async () => {
    const owner = await ownerWithPasskey();
    await assert.rejects(owner.sign(undefined, permit), {
      ...isWrong,
      message: /only with a one-time password or a passkey/,
    });
    const details = await announce(owner, permit);
    assert.equal(details.digest, hashTypedData(transfer));
    assert.equal(details.expiresAt, new Date(t.services.clock().getTime() + 300_000).toISOString());
    assert.deepEqual(details.summary.slice(0, 5), [
      'For: USD Coin',
      'Chain: 1',
      'Contract: 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      'Type: Permit',
      'owner: 0x5fbdb2315678afecb367f032d93f642f64180aa3',
    ]);
    assert.match(
      details.warnings[0] ?? '',
      /lets 0x1111111111111111111111111111111111111111 spend an unlimited amount/,
    );
    const { challenge = '', challengeText = '' } = details.passkeyOptions ?? {};
    assert.equal(createHash('sha256').update(challengeText).digest('base64url'), challenge);
    for (const part of [details.digest, owner.address.toLowerCase(), encodeURIComponent(owner.actor.userId)])
      assert.ok(challengeText.includes(part), part);
    assert.match((await announce(owner)).warnings.join(), /A hash does not show what you are signing/);
  });

  test('an authenticator app from yesterday is accepted, each code once, and one from today is not', async () => {
    const owner = await newOwner();
    const { actor, address, sign } = owner;
    await announce(owner);
    await generateTotpQrCode(t.as(actor), { requestId: 'phone' });
    await assert.rejects(sign(await codeOf(actor, 'phone')), isWrong, 'an enrolment that was not confirmed');
    const confirmed = await sign(await codeOf(actor, 'phone'), 'hello');
    assert.ok(confirmed.signature, 'a text with a code confirms the app');
    for (const message of [hash, permit]) {
      await announce(owner, message);
      await assert.rejects(sign(await codeOf(actor, 'phone', 1), message), isWrong, 'the app was enrolled today');
    }
    t.advanceSeconds(restSeconds);
    await announce(owner);
    const code = await codeOf(actor, 'phone');
    const { signature = '' } = await sign(code);
    assert.equal(await recoverAddress({ hash, signature: signature as Hex }), address);
    await announce(owner);
    await assert.rejects(sign(code), { ...isWrong, message: /already used/ });
    await assert.rejects(sign('000000'), isWrong);
    assert.deepEqual((await getUserPkp(t.as(actor))).permittedActions?.at(-1), 'eth_sign');
  });

  test('a code approves what was shown to the same application, once and for five minutes', async () => {
    const owner = await ownerWithApp();
    const { actor, address, sign } = owner;
    const notAnnounced = { ...isWrong, message: /was not requested/ };
    const code = () => codeOf(actor, 'phone');
    await announce(owner, smallPermit);
    await assert.rejects(sign(await code(), permit), notAnnounced, 'something else was announced');
    const client = { id: 'app', name: 'app', allowedScopes: ['$all'], disallowedScopes: [] };
    await assert.rejects(sign(await code(), hash, { ...actor, client }), notAnnounced, 'not announced');
    await assert.rejects(sign('000000', permit), { ...isWrong, message: /The code is wrong/ });
    const { signature = '' } = await sign(await code(), permit);
    assert.equal(await recoverTypedDataAddress({ ...transfer, signature: signature as Hex }), address);
    t.advanceSeconds(60);
    await assert.rejects(sign(await code(), permit), notAnnounced, 'it was signed before');
    t.advanceSeconds(300);
    await assert.rejects(sign(await code(), permit), notAnnounced, 'it is too long ago');
    await assert.rejects(sign(await code(), hash), notAnnounced);
    const elsewhere = { ...actor, client };
    await announce(owner, hash, elsewhere);
    assert.ok((await sign(await code(), hash, elsewhere)).signature);
  });

  test('a passkey from yesterday approves one text for its own user, once', async () => {
    const [owner, other] = [await newOwner(), await ownerWithPasskey()];
    const device = newDevice();
    await register(t, owner.actor, device);
    assert.equal((await announce(owner, permit)).passkeyOptions, undefined, 'the passkey was added today');
    t.advanceSeconds(restSeconds);
    const slug = await answer(owner.actor, device, await announce(owner, permit));
    const { signature = '' } = await owner.sign(slug, permit);
    assert.equal(await recoverTypedDataAddress({ ...transfer, signature: signature as Hex }), owner.address);
    await announce(owner, permit);
    await assert.rejects(owner.sign(slug, permit), isWrong, 'it was used');
    await announce(other, permit);
    const stolen = await answer(owner.actor, device, await announce(owner, permit));
    await assert.rejects(other.sign(stolen, permit), isWrong, 'it belongs to another user');
    const old = await answer(owner.actor, device, await announce(owner, permit));
    t.advanceSeconds(5 * 60);
    await announce(owner, permit);
    await assert.rejects(owner.sign(old, permit), isWrong, 'it is too old');

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

  test('an approval by passkey is valid for no other text, application or purpose', async () => {
    const owner = await ownerWithPasskey();
    const { actor, device, sign } = owner;
    const client = { id: 'app', name: 'app', allowedScopes: ['$all'], disallowedScopes: [] };
    await announce(owner, permit);
    await assert.rejects(sign(await answer(actor, device, await announce(owner, smallPermit)), permit), isWrong);
    await announce(owner, hash);
    const forApp = await announce(owner, hash, { ...actor, client });
    await assert.rejects(sign(await answer(actor, device, forApp), hash), isWrong, 'the application requested it');
    await assert.rejects(sign(await answer(actor, device), hash), isWrong, 'a sign-in approves nothing');
    const refused = { code: 'INVALID_CREDENTIAL' };
    const slug = await answer(actor, device, await announce(owner, permit));
    await assert.rejects(verifyAuthenticationResponse(t.as(actor), { body: { slug } }), refused);
    const { passkeyOptions } = await announce(owner, permit);
    assert.ok(passkeyOptions);
    const body = device.get(passkeyOptions);
    await assert.rejects(verifyAuthenticationResponse(t.as(actor), { body }), refused, 'an approval signs no user in');
  });

  test('a passkey that an application has registered approves nothing', async () => {
    const owner = await newOwner();
    const client = { id: 'app', name: 'app', allowedScopes: ['$all'], disallowedScopes: [] };
    const scopes = ['user:pkp:sign', 'user:webauthn-credential:write'];
    await register(t, { ...owner.actor, client, credential: 'access-token', scopes }, newDevice());
    t.advanceSeconds(restSeconds);
    assert.equal((await announce(owner)).passkeyOptions, undefined);
    assert.equal((await getUserPkp(t.as(owner.actor))).permittedAuthMethods?.length, 1);
  });

  test('the wallet is linked to its own account with a proof, and to no other', async () => {
    const [owner, other] = [await ownerWithPasskey(), await newOwner()];
    const message = await createLinkChallenge(t.as(owner.actor));
    const details = await announce(owner, message);
    assert.ok(details.summary.includes(`Account: ${owner.actor.userId} (${owner.actor.name})`));
    const { signature = '' } = await owner.sign(await answer(owner.actor, owner.device, details), message);
    assert.equal(await recoverMessageAddress({ message, signature: signature as Hex }), owner.address);
    const foreign = await createLinkChallenge(t.as(other.actor));
    await assert.rejects(owner.sign(undefined, foreign), { code: 'STATE_CONFLICT', message: /another account/ });
  });

  test('a text that would sign in here is refused before the user is asked', async () => {
    const { sign } = await ownerWithPasskey();
    const text = 'latchkey.test wants you to sign in with your Ethereum account:\n0x…\n\nURI: http://latchkey.test';
    await assert.rejects(sign(undefined, text), { code: 'STATE_CONFLICT', message: /could let someone log in/ });
  });

  test('where the operator allows no hash, a request consumes nothing', async () => {
    const owner = await ownerWithPasskey();
    const { actor, address, device } = owner;
    const otp = await answer(actor, device, await announce(owner));
    const ctx = { ...t.as(actor), settings: { ...t.services.settings, hostedWallets: {} } };
    const off = { code: 'STATE_CONFLICT', message: /does not sign bare hashes/ };
    await assert.rejects(signMessage(ctx, { body: { address, message: hash, otp } }), off);
    assert.ok((await signMessage(t.as(actor), { body: { address, message: hash, otp } })).signature);
  });

  test('of twenty uses of one proof at once, one succeeds', async () => {
    const owner = await ownerWithPasskey();
    const slug = await answer(owner.actor, owner.device, await announce(owner));
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => owner.sign(slug)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('at most twenty texts of an application can be pending for one user', async () => {
    const owner = await newOwner();
    const other = (index: number) => `0x${index.toString(16).padStart(64, '0')}`;
    for (let index = 0; index < 20; index += 1) await announce(owner, other(index));
    await assert.rejects(owner.sign(undefined, other(20)), { code: 'RATE_LIMITED', retryAfterSeconds: 300 });
    const client = { id: 'app', name: 'app', allowedScopes: ['$all'], disallowedScopes: [] };
    await announce(owner, other(20), { ...owner.actor, client });
    t.advanceSeconds(300);
    await announce(owner, other(20));
  });
});
