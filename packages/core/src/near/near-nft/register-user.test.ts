import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { NearTestAccount } from '@latchkey/emulators/near-chain';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import { KeyPair, KeyPairSigner } from 'near-api-js';
import { alice, mallory, operator } from '../../testing/index.ts';
import { nearNftErasure } from './queries.ts';
import { type NearPlatform, nearPlatform, oneNear, serverAccount } from './testing.ts';
import { getBalance } from './token-reads.ts';
import { registerUser, type UserAccountResult } from './user-operations.ts';

const refusal = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;
const bob = { ...mallory, userId: 'DIS#USER#200' } as const;

describe('NEAR accounts of people', () => {
  let n: NearPlatform;
  let carol: NearTestAccount;
  before(async () => {
    n = await nearPlatform('near-users');
    carol = n.chain.createAccount('carol.near');
  });
  after(() => n.close());

  const newKey = () => KeyPair.fromRandom('ed25519').getPublicKey().toString();
  async function signMessage(secretKey: string, { messageToSign }: UserAccountResult): Promise<string> {
    const { message = '', nonce = '', recipient = '' } = messageToSign ?? {};
    const signer = KeyPairSigner.fromSecretKey(secretKey as `ed25519:${string}`);
    const params = { message, recipient, nonce: Buffer.from(nonce, 'base64') };
    return Buffer.from((await signer.signNep413Message('carol.near', params)).signature).toString('base64');
  }

  it('are created below the server’s account, once per caller, with the keys that were sent', async () => {
    const [publicKey, extra] = [newKey(), newKey()];
    const body = { publicKey, extraPublicKeys: [extra] };
    const made = await registerUser(n.as(alice), { body });
    assert.match(made.accountId ?? '', new RegExp(`^u-[0-9a-f]{16}\\.${serverAccount}$`));
    const keys = await n.near.keysOf(made.accountId ?? '');
    assert.deepEqual(
      keys.map((key) => [key.publicKey, key.only]).toSorted(),
      [
        [publicKey, undefined],
        [extra, undefined],
      ].toSorted(),
    );
    assert.deepEqual(await registerUser(n.as(alice), { body }), made, 'a repeated request creates nothing new');
    assert.equal((await getBalance(n.as(alice), { userId: 'DIS#USER#100' })).balance, String(oneNear / 10n));
    await assert.rejects(registerUser(n.as(alice), { body: { publicKey: newKey() } }), refusal('PLAN_LIMIT_REACHED'));
    const named = { accountId: `bob.${serverAccount}`, publicKey: newKey() };
    assert.equal((await registerUser(n.as(bob), { body: named })).accountId, `bob.${serverAccount}`);
    await assert.rejects(
      registerUser(n.as(mallory), { body: { ...named, accountId: `a.b.${serverAccount}` } }),
      refusal('VALIDATION_FAILED'),
    );
    const taken = await registerUser(n.as(mallory), { body: named });
    assert.ok(taken.messageToSign, 'an account that another user registered must be proven');
    await assert.rejects(
      registerUser(n.as(mallory), { body: { publicKey: 'ed25519:1111' } }),
      refusal('VALIDATION_FAILED'),
    );
  });

  it('are proven by a message that a key with full access signed, for the caller that it names', async () => {
    const body = { accountId: 'carol.near', publicKey: carol.publicKey };
    const request = await registerUser(n.as(alice), { body });
    assert.match(request.messageToSign?.message ?? '', /DIS#USER#100 act for carol\.near/);
    const signature = await signMessage(carol.secretKey, request);
    for (const actor of [bob, mallory])
      await assert.rejects(registerUser(n.as(actor), { body: { ...body, signature } }), refusal('INVALID_CREDENTIAL'));
    const strange = KeyPair.fromRandom('ed25519');
    const forged = await signMessage(strange.toString(), request);
    await assert.rejects(
      registerUser(n.as(alice), { body: { ...body, signature: forged } }),
      refusal('INVALID_CREDENTIAL'),
    );
    const other = { ...body, publicKey: strange.getPublicKey().toString() };
    const theirs = await signMessage(strange.toString(), await registerUser(n.as(alice), { body: other }));
    await assert.rejects(
      registerUser(n.as(alice), { body: { ...other, signature: theirs } }),
      refusal('INVALID_CREDENTIAL'),
    );
    const done = await registerUser(n.as(alice), { 'x-near-signature': signature, body });
    assert.deepEqual(done, body);
  });

  it('are proven by a sign-in that works once, for the user who started it and before it expires', async () => {
    const client = n.clientOf(carol);
    const signIn = async (session: UserAccountResult['signIn'], methodName = session?.methodName ?? '') => {
      const publicKey = newKey();
      await client.addFunctionCallAccessKey({
        publicKey,
        contractId: session?.contractId ?? '',
        methodNames: [methodName],
      });
      return publicKey;
    };
    const begin = async () =>
      (await registerUser(n.as(bob), { body: { accountId: 'carol.near', publicKey: carol.publicKey } })).signIn;
    const finish = (publicKey: string, signature: string | undefined, actor = bob) =>
      registerUser(n.as(actor), { body: { accountId: 'carol.near', publicKey, ...(signature && { signature }) } });
    const session = await begin();
    const publicKey = await signIn(session);
    await assert.rejects(finish(carol.publicKey, session?.signInState), refusal('INVALID_CREDENTIAL'));
    await assert.rejects(finish(await signIn(session, 'other'), session?.signInState), refusal('INVALID_CREDENTIAL'));
    await assert.rejects(finish(publicKey, session?.signInState, alice as typeof bob), refusal('INVALID_CREDENTIAL'));
    assert.equal((await finish(publicKey, session?.signInState)).accountId, 'carol.near');
    await assert.rejects(finish(publicKey, session?.signInState), refusal('INVALID_CREDENTIAL'));
    const late = await begin();
    const key = await signIn(late);
    n.t.advanceSeconds(16 * 60);
    await assert.rejects(finish(key, late?.signInState), refusal('INVALID_CREDENTIAL'));
    const rows = await n.services.db.system.selectFrom('near_sign_in_sessions').selectAll().execute();
    assert.ok(!JSON.stringify(rows).includes(late?.signInState ?? '?'), 'the state is kept as a hash');
  });

  it('are erased with their holder, and only transactions the server signed stay, anonymously', async () => {
    const { system } = n.services.db;
    const person = { userId: bob.userId, pseudonym: 'ERASED#USER#1', wallets: [], coHolders: [], clientIds: [] };
    await n.services.db.transaction('system', (tx) => nearNftErasure.forget(n.as(operator), tx, person));
    const accounts = await system.selectFrom('near_accounts').select('created_by_id').execute();
    assert.ok(accounts.length > 0 && accounts.every((row) => row.created_by_id !== bob.userId));
    const made = await system.selectFrom('near_transactions').select(['created_by_id', 'purpose']).execute();
    assert.deepEqual(
      made.filter((row) => row.purpose === `account/bob.${serverAccount}`).map((row) => row.created_by_id),
      ['ERASED#USER#1'],
    );
  });
});
