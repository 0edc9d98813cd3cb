import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql, type Worker } from '@latchkey/db';
import { type Actor, AppError, refuse } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { type TypedDataDefinition, verifyMessage, verifyTypedData } from 'viem';
import { eraseAccount } from '../../modules.ts';
import { type TestSigner, testSigner } from '../../services/signer/testing.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { storeAuthenticationResponse } from '../webauthn/accept-assertion.ts';
import { newDevice, register } from '../webauthn/testing.ts';
import type { ApprovalDetails } from './approval.ts';
import { ownerHash } from './hosted-wallet.ts';
import { findHostedAddress, hostedWallets, pkp } from './index.ts';
import { registerAgain } from './jobs.ts';
import { checkPkpAvailability, claimTelegramPkp, claimUserPkp, getUserPkp, signMessage } from './operations.ts';
import { type MemoryRegistry, memoryRegistry, registrationCost, startRegistrations } from './testing.ts';

type Hex = `0x${string}`;

// Far longer than any successful request takes.
const patient = { signerPatienceMs: 30_000, chainPatienceMs: 30_000, stepUpRestSeconds: 0 };

describe('hosted wallets', () => {
  let t: TestPlatform;
  let signer: TestSigner;
  let registry: MemoryRegistry;
  let worker: Worker;
  let people = 0;

  before(async () => {
    t = await testPlatform('hosted-wallets');
    registry = memoryRegistry();
    t.services.walletRegistry = registry;
    t.services.settings = { ...t.services.settings, hostedWallets: patient };
    await assert.rejects(claimUserPkp(t.as(newPerson())), { code: 'UNAVAILABLE', message: /not been started/ });
    signer = await testSigner(t);
    signer.start();
    worker = startRegistrations(t);
  });
  after(async () => {
    await worker.stop(1000);
    await signer.close();
    await t.close();
  });

  function newPerson(platform = 'discord', scopes = ['$all']): Extract<Actor, { kind: 'user' }> {
    people += 1;
    return {
      kind: 'user',
      userId: `${platform === 'telegram' ? 'TEL' : 'DIS'}#USER#77${people}`,
      platform,
      scopes,
      credential: 'wallet-session',
    };
  }

  const rowOf = (userId: string) =>
    t.services.db.system.selectFrom('hosted_wallets').selectAll().where('user_id', '=', userId).executeTakeFirst();
  const impatient = (actor: Actor, hostedWallets: Partial<typeof patient>) => {
    const settings = { ...t.services.settings, hostedWallets: { ...patient, ...hostedWallets } };
    return { ...t.as(actor), settings };
  };
  const wakeJobs = () =>
    sql`update jobs set state = 'ready', run_at = now() where state = 'delayed'`.execute(t.services.db.system);
  /** Runs due jobs until a wallet is registered: a running attempt may be rescheduled after the others were woken. */
  const awaitRegistration = (userId: string) =>
    until('the wallet is registered', async () => {
      await wakeJobs();
      await worker.idle();
      const row = await rowOf(userId);
      return row?.state === 'registered' && row;
    });

  test('a claim creates a wallet, registers it for a hash of its owner, and returns the same one ever after', async () => {
    const person = newPerson();
    await assert.rejects(getUserPkp(t.as(person)), { code: 'ENTITY_NOT_FOUND' });
    const { pkp, txHash } = await claimUserPkp(t.as(person));
    assert.match(pkp?.ethAddress ?? '', /^0x[0-9a-fA-F]{40}$/);
    assert.match(pkp?.publicKey ?? '', /^0x04[0-9a-f]{128}$/);
    assert.match(pkp?.tokenId ?? '', /^[1-9][0-9]+$/);
    assert.deepEqual(pkp?.permittedAddresses, [pkp?.ethAddress]);
    assert.deepEqual(pkp?.permittedActions, ['personal_sign', 'eth_signTypedData_v4']);
    assert.deepEqual(pkp?.permittedAuthMethods, [{ type: 'discord', id: person.userId, scopes: ['user:pkp:sign'] }]);
    await worker.idle();
    const row = await rowOf(person.userId);
    assert.equal(row?.state, 'registered');
    const claim = registry.claims.get(pkp?.ethAddress ?? '');
    assert.deepEqual(claim, { ownerHash: ownerHash({ salt: row?.salt ?? '', userId: person.userId }), txHash });
    assert.deepEqual(await claimUserPkp(t.as(person)), { pkp, txHash });
    assert.deepEqual(await getUserPkp(t.as(person)), pkp);
    assert.equal(await findHostedAddress(t.services.db.system, person.userId), pkp?.ethAddress);
  });

  test('twenty concurrent claims create one wallet and one transaction', async () => {
    const person = newPerson();
    const before = registry.sent.length;
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimUserPkp(t.as(person))));
    assert.equal(new Set(claims.map((claim) => JSON.stringify(claim))).size, 1);
    await worker.idle();
    assert.equal(registry.sent.length, before + 1);
  });

  test('texts and typed data are signed so that anyone can verify them', async () => {
    const person = newPerson();
    const device = newDevice();
    await register(t, person, device);
    const address = (await claimUserPkp(t.as(person))).pkp?.ethAddress as Hex;
    const message = 'I agree to the rules of the club.\nÜber alles 🔑';
    const signed = await signMessage(t.as(person), { body: { address: address.toLowerCase(), message } });
    assert.deepEqual({ ...signed, signature: '' }, { address, message, signature: '' });
    assert.ok(await verifyMessage({ address, message, signature: signed.signature as Hex }));

    const typedData: TypedDataDefinition = {
      domain: { name: 'Club' },
      types: { EIP712Domain: [{ name: 'name', type: 'string' }], Vote: [{ name: 'choice', type: 'uint8' }] },
      primaryType: 'Vote',
      message: { choice: 2 },
    };
    const text = JSON.stringify(typedData);
    const ask = (otp?: string) =>
      signMessage(t.as(person), { body: { address, message: text, ...(otp !== undefined && { otp }) } });
    const refusal: unknown = await ask().catch((error: unknown) => error);
    assert.ok(refusal instanceof AppError && refusal.code === 'INVALID_OTP');
    const { passkeyOptions } = refusal.details as ApprovalDetails;
    assert.ok(passkeyOptions);
    const slug = await storeAuthenticationResponse(t.as(person), { body: device.get(passkeyOptions) });
    const { signature } = await ask(slug);
    assert.ok(await verifyTypedData({ ...typedData, address, signature: signature as Hex }));
    const kept = await signer.ctx.db.system
      .selectFrom('signer.signatures')
      .select(['purpose', 'text', 'address', 'client_id'])
      .where('user_id', '=', person.userId)
      .orderBy('purpose')
      .execute();
    assert.deepEqual(kept, [
      { purpose: 'message', text: message, address, client_id: null },
      { purpose: 'typed-data', text, address, client_id: null },
    ]);
  });

  test('only a user with the scope reaches the verbs', () => {
    const operations = [...hostedWallets.operations, ...pkp.operations];
    const client = { id: 'app', name: 'app', allowedScopes: ['$all'], disallowedScopes: [] };
    for (const { route, contract } of operations) {
      const code = (actor: Actor) => refuse(contract.access, actor)?.code;
      assert.equal(code({ kind: 'anonymous' }), 'AUTHENTICATION_REQUIRED', route);
      for (const actor of [operator, { kind: 'client', client, credential: 'api-key' } as const])
        assert.equal(code(actor), 'ROLE_NOT_ALLOWED', route);
      assert.equal(code(newPerson()), undefined, route);
      assert.equal(code(newPerson('discord', ['user:read'])), 'SCOPE_NOT_ALLOWED', route);
    }
  });

  test('another user’s wallet does not exist for the caller', async () => {
    const [person, other, nobody] = [newPerson(), newPerson(), newPerson()];
    const address = (await claimUserPkp(t.as(person))).pkp?.ethAddress ?? '';
    await claimUserPkp(t.as(other));
    for (const stranger of [other, nobody])
      await assert.rejects(signMessage(t.as(stranger), { body: { address, message: 'x' } }), {
        code: 'ENTITY_NOT_FOUND',
        message: 'Hosted wallet not found.',
      });
    for (const verb of [claimUserPkp, getUserPkp])
      await assert.rejects(verb(t.as(operator)), { code: 'ROLE_NOT_ALLOWED' });
  });

  test('people on Telegram see what they have and claim the same wallet', async () => {
    const person = newPerson('telegram');
    const none = { hasPkp: false, hasPasskey: false, hasPasskeyAuth: false };
    assert.deepEqual(await checkPkpAvailability(t.as(person)), none);
    assert.equal(await claimTelegramPkp(t.as(person)), undefined);
    assert.deepEqual(await checkPkpAvailability(t.as(person)), { ...none, hasPkp: true });
    const { ethAddress } = await getUserPkp(t.as(person));
    assert.equal((await claimUserPkp(t.as(person))).pkp?.ethAddress, ethAddress);

    for (const verb of [checkPkpAvailability, claimTelegramPkp]) {
      await assert.rejects(verb(t.as(newPerson())), { code: 'ROLE_NOT_ALLOWED', message: /with Telegram/ });
      await assert.rejects(verb(t.as(newPerson('telegram', ['user:read']))), { code: 'SCOPE_NOT_ALLOWED' });
    }
  });

  test('while the signer is down, claims and signatures are refused at once with a Retry-After', async () => {
    const [person, other] = [newPerson(), newPerson()];
    const address = (await claimUserPkp(t.as(person))).pkp?.ethAddress ?? '';
    await signer.stop();
    const silentSigner = (actor: Actor) => impatient(actor, { signerPatienceMs: 300 });
    const isDown = { code: 'UNAVAILABLE', message: /is not responding/, retryAfterSeconds: 5 };
    await assert.rejects(signMessage(silentSigner(person), { body: { address, message: 'x' } }), isDown);
    await assert.rejects(claimUserPkp(silentSigner(other)), isDown);
    assert.equal((await rowOf(other.userId))?.state, 'new');
    await assert.rejects(getUserPkp(t.as(other)), { code: 'ENTITY_NOT_FOUND' });
    signer.start();
    await assert.doesNotReject(claimUserPkp(t.as(other)));
    const { rows } = await sql`select 1 from signer.requests`.execute(signer.ctx.db.system);
    assert.deepEqual(rows, [], 'abandoned requests are withdrawn, and answered ones are removed');
  });

  test('while the chain is down a claim says so, and completes on its own later', async () => {
    const person = newPerson();
    registry.isDown = true;
    await assert.rejects(claimUserPkp(impatient(person, { chainPatienceMs: 400 })), {
      code: 'UNAVAILABLE',
      message: /registration is not on the chain yet/,
      retryAfterSeconds: 5,
    });
    const { ethAddress } = await getUserPkp(t.as(person));
    registry.isDown = false;
    await wakeJobs();
    await worker.idle();
    const { pkp, txHash } = await claimUserPkp(t.as(person));
    assert.equal(pkp?.ethAddress, ethAddress);
    assert.equal(registry.claims.get(ethAddress ?? '')?.txHash, txHash);
  });

  test('a transaction with an unknown outcome is looked up before another one is sent', async () => {
    const [lost, slow] = [newPerson(), newPerson()];
    registry.losesAnswer = true;
    const before = registry.sent.length;
    await claimTelegramPkp(t.as({ ...lost, platform: 'telegram' }));
    await worker.idle();
    await wakeJobs();
    await worker.idle();
    assert.equal((await rowOf(lost.userId))?.tx_hash, registry.sent[before]);
    assert.equal((await rowOf(lost.userId))?.state, 'registered');

    registry.isSlow = true;
    const { txHash } = await claimUserPkp(t.as(slow));
    await wakeJobs();
    await worker.idle();
    assert.equal((await rowOf(slow.userId))?.state, 'made');
    registry.isSlow = false;
    const row = await awaitRegistration(slow.userId);
    assert.deepEqual([row?.state, row?.tx_hash], ['registered', txHash]);
    assert.equal(registry.sent.length, before + 2);
  });

  test('a transaction that the chain has dropped is sent again', async () => {
    const person = newPerson();
    registry.isSlow = true;
    const { pkp, txHash } = await claimUserPkp(t.as(person));
    registry.dropWaiting();
    registry.isSlow = false;
    for (let tries = 0; tries < 6; tries += 1) {
      await worker.idle();
      await wakeJobs();
    }
    await worker.idle();
    const row = await rowOf(person.userId);
    assert.equal(row?.state, 'registered');
    assert.notEqual(row?.tx_hash, txHash);
    assert.equal(registry.claims.get(pkp?.ethAddress ?? '')?.txHash, row?.tx_hash);
  });

  test('a chain that was reset gets every wallet again', async () => {
    const person = newPerson();
    const address = (await claimUserPkp(t.as(person))).pkp?.ethAddress ?? '';
    await worker.idle();
    const known = [...registry.claims.keys()];
    registry.claims.clear();
    await registerAgain(t.services, registry.chainId);
    await worker.idle();
    assert.deepEqual([...registry.claims.keys()].toSorted(), known.toSorted());
    assert.ok(registry.claims.has(address));
  });

  test('without a registry nothing is created', async () => {
    const person = newPerson();
    const ctx = { ...t.as(person), walletRegistry: undefined };
    await assert.rejects(claimUserPkp(ctx), { code: 'NOT_CONFIGURED', message: /LATCHKEY_REGISTRY_ADDRESS/ });
    assert.equal(await rowOf(person.userId), undefined);
  });

  test('erasing the account erases the key and what it signed, and another claim makes another wallet', async () => {
    const person = newPerson();
    const address = (await claimUserPkp(t.as(person))).pkp?.ethAddress ?? '';
    await signMessage(t.as(person), { body: { address, message: 'remember me' } });
    const traces = () =>
      sql<{ line: string }>`select k::text as line from signer.keys k where user_id = ${person.userId}
        union all select s::text from signer.signatures s where user_id = ${person.userId}`.execute(
        signer.ctx.db.system,
      );
    assert.equal((await traces()).rows.length, 2);
    await worker.idle();
    await eraseAccount(t.as(operator), person.userId);
    assert.deepEqual((await traces()).rows, []);
    assert.equal(await rowOf(person.userId), undefined);
    await assert.rejects(signMessage(t.as(person), { body: { address, message: 'x' } }), { code: 'ENTITY_NOT_FOUND' });
    assert.notEqual((await claimUserPkp(t.as(person))).pkp?.ethAddress, address);
  });

  test('no key and no signature is in the log or in what the platform can read', async () => {
    const person = newPerson();
    const address = (await claimUserPkp(t.as(person))).pkp?.ethAddress ?? '';
    const { signature = '' } = await signMessage(t.as(person), { body: { address, message: 'secret pact' } });
    const key = await signer.ctx.db.system
      .selectFrom('signer.keys')
      .selectAll()
      .where('user_id', '=', person.userId)
      .executeTakeFirstOrThrow();
    const plain = signer.ctx.keyring.open(`signer.keys.private_key:${key.wallet_id}/${key.user_id}`, key.private_key);
    const read = await Promise.all(
      ['hosted_wallets', 'jobs', 'registrar_keys', 'signer.requests', 'signer.signatures'].map(async (table) =>
        JSON.stringify((await t.services.db.pool.query(`select * from ${table}`)).rows),
      ),
    );
    const written = `${read.join('\n')}\n${t.log.lines.join('\n')}`;
    assert.match(written, /secret pact/);
    for (const form of [
      plain.toString('hex'),
      plain.toString('base64'),
      key.private_key,
      signature,
      signature.slice(2),
    ])
      assert.ok(!written.includes(form));
    await assert.rejects(t.services.db.pool.query('select private_key from signer.keys'), /permission denied/);
  });

  test('registrations are paid for callers the operator allows, as far as the budget goes', async () => {
    const { spending: _, ...closed } = t.services.settings;
    const refused = { code: 'ROLE_NOT_ALLOWED', message: /LATCHKEY_REGISTRY_SPEND_PER_DAY/ };
    const stranger = newPerson();
    await assert.rejects(claimUserPkp({ ...t.as(stranger), settings: closed }), refused);
    assert.equal(await rowOf(stranger.userId), undefined);
    const owner = newPerson();
    const { txHash } = await claimUserPkp(t.as(owner));
    await awaitRegistration(owner.userId);
    const again = await claimUserPkp({ ...t.as(owner), settings: closed });
    assert.equal(again.txHash, txHash, 'a registered wallet costs nothing more');

    const { rows } = await sql<{ total: string }>`select sum(amount)::text as total from spendings`.execute(
      t.services.db.system,
    );
    const total = BigInt(rows[0]?.total ?? 0) + registrationCost;
    const budgets = { 'evm:31337': { total, perCaller: registrationCost } };
    const before = t.services.settings;
    t.services.settings = { ...before, spending: { spenders: ['people'], budgets } };
    const last = newPerson();
    await claimUserPkp(t.as(last));
    await awaitRegistration(last.userId);
    await assert.rejects(claimUserPkp(t.as(newPerson())), { code: 'RATE_LIMITED', message: /for all callers/ });
    t.services.settings = before;
  });
});
