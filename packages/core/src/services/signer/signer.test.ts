import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createKeyring, type Tx } from '@latchkey/db';
import type { Tables } from '@latchkey/db/tables';
import type { Insertable } from 'kysely';
import { serializeTransaction } from 'viem';
import { ethereumRequestText } from '../../identity/credentials/verify-ethereum-header.ts';
import { type LinkTarget, writeLinkMessage } from '../../identity/wallets/link-message.ts';
import { writeMessage } from '../../linking/ethereum-login/operations.ts';
import { seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { checkSignerKey, rewrapKeys } from './index.ts';
import type { Purpose } from './request.ts';
import { answerNext, digestOf as textDigestOf } from './serve-requests.ts';
import { signerKey, type TestSigner, testPolicy, testSigner } from './testing.ts';

type NewRequest = Insertable<Tables['signer.requests']>;

describe('the signer', () => {
  let t: TestPlatform;
  let signer: TestSigner;
  let requests = 0;
  let people = 0;

  before(async () => {
    t = await testPlatform('signer');
    signer = await testSigner(t);
  });
  after(async () => {
    await signer.close();
    await t.close();
  });
  beforeEach(() => {
    signer.ctx.policy = { ...testPolicy };
  });

  /** Writes a request as a compromised platform could: any field can be chosen. */
  async function send(values: Partial<NewRequest>): Promise<string> {
    requests += 1;
    const id = values.id ?? `request${String(requests).padStart(20, '0')}`;
    const now = t.services.clock();
    const expires_at = new Date(now.getTime() + 15_000);
    const row = { id, user_id: 'nobody', kind: 'sign' as const, created_at: now, expires_at, ...values };
    await t.services.db.system.insertInto('signer.requests').values(row).execute();
    return id;
  }

  function read(id: string) {
    const query = t.services.db.system.selectFrom('signer.requests').select(['state', 'answer']).where('id', '=', id);
    return query.executeTakeFirstOrThrow();
  }

  async function answer(values: Partial<NewRequest>) {
    const id = await send(values);
    while (await answerNext(signer.ctx));
    return read(id);
  }

  async function refusal(values: Partial<NewRequest>): Promise<string> {
    const { state, answer: reply } = await answer(values);
    assert.equal(state, 'refused');
    return reply !== null && 'code' in reply ? `${reply.code}: ${reply.message}` : '';
  }

  async function newWallet(): Promise<{ user_id: string; address: string }> {
    people += 1;
    const user_id = `DIS#USER#${people}`;
    const { answer: made } = await answer({ user_id, kind: 'make-key', wallet_id: `w${people}` });
    assert.ok(made !== null && 'address' in made);
    return { user_id, address: made.address };
  }

  const message = { purpose: 'message' as const, text: 'hello' };
  const hash = { purpose: 'hash' as const, text: `0x${'ab'.repeat(32)}` };
  const vote = (choice: number) => ({
    purpose: 'typed-data' as const,
    text: JSON.stringify({
      types: { EIP712Domain: [{ name: 'name', type: 'string' }], Vote: [{ name: 'choice', type: 'uint8' }] },
      primaryType: 'Vote',
      domain: { name: 'Club' },
      message: { choice },
    }),
  });
  const digestOf = async ({ purpose, text }: { purpose: Purpose; text: string }) =>
    Buffer.from(await textDigestOf(signer.ctx.evmKeys, purpose, text)).toString('hex');

  test('a user has one key, for any named wallet and any number of requests', async () => {
    const { user_id, address } = await newWallet();
    const { answer: again } = await answer({ user_id, kind: 'make-key', wallet_id: 'another' });
    assert.ok(again !== null && 'address' in again);
    assert.equal(again.address, address);
  });

  test('only the wallet of the user named in the request signs', async () => {
    const [one, other] = [await newWallet(), await newWallet()];
    assert.match(await refusal({ ...message, user_id: one.user_id, address: other.address }), /^ENTITY_NOT_FOUND/);
    assert.match(await refusal({ ...message, user_id: 'DIS#USER#nobody', address: one.address }), /^ENTITY_NOT_FOUND/);
    assert.equal((await answer({ ...message, ...one })).state, 'done');
  });

  test('a signed request is not signed again, even if the platform writes it again', async () => {
    const wallet = await newWallet();
    const id = await send({ ...message, ...wallet });
    while (await answerNext(signer.ctx));
    assert.equal((await read(id)).state, 'done');
    await t.services.db.system.deleteFrom('signer.requests').where('id', '=', id).execute();
    assert.match(await refusal({ ...message, ...wallet, id, text: 'something else' }), /already been signed/);
  });

  test('an old request, a future one and a long-lived one are not answered', async () => {
    const wallet = await newWallet();
    const at = (seconds: number) => new Date(t.services.clock().getTime() + seconds * 1000);
    const expired = await send({ ...message, ...wallet, created_at: at(-16), expires_at: at(-1) });
    assert.equal(await answerNext(signer.ctx), false);
    assert.equal((await read(expired)).state, 'pending');
    const untimely = [
      { created_at: at(0), expires_at: at(3600) },
      { created_at: at(3600), expires_at: at(3610) },
      { created_at: at(-3600), expires_at: at(10) },
    ];
    for (const times of untimely)
      assert.match(await refusal({ ...message, ...wallet, ...times }), /too old or in the future/);
  });

  test('the text determines its purpose, not the request', async () => {
    const wallet = await newWallet();
    signer.ctx.policy.allowsHashes = true;
    for (const [purpose, text] of [
      ['message', hash.text],
      ['typed-data', hash.text],
      ['hash', 'hello'],
      ['message', '{"types":{},"primaryType":"A"}'],
    ] as const)
      assert.match(
        await refusal({ ...wallet, purpose, text }),
        /does not match the declared purpose/,
        `${purpose} ${text}`,
      );
    assert.match(
      await refusal({ ...wallet, purpose: 'typed-data', text: '{"types":{},"primaryType":"A"}' }),
      /^VALIDATION_FAILED: This is not complete typed data/,
    );
  });

  test('transactions and other unreadable bytes are refused', async () => {
    const wallet = await newWallet();
    const to = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
    const transaction = serializeTransaction({ chainId: 1, to, value: 1n, maxFeePerGas: 1n, type: 'eip1559' });
    assert.match(
      await refusal({ ...wallet, ...message, text: transaction }),
      /^VALIDATION_FAILED: This is a transaction/,
    );
    assert.match(await refusal({ ...wallet, ...message, text: ` ${transaction}\n` }), /This is a transaction/);
    for (const text of ['0x', '0xabcd', `0x${'ab'.repeat(31)}`, `0x${'ab'.repeat(33)}`, ` 0x${'AB'.repeat(32)}`])
      assert.match(await refusal({ ...wallet, ...message, text }), /not readable text/, text);
  });

  test('a bare hash needs the operator’s permission and a fresh proof', async () => {
    const wallet = await newWallet();
    const now = t.services.clock();
    assert.match(await refusal({ ...wallet, ...hash, stepped_up_at: now }), /does not sign bare hashes/);
    signer.ctx.policy.allowsHashes = true;
    assert.match(await refusal({ ...wallet, ...hash }), /^INVALID_OTP/);
    const approved_digest = hash.text.slice(2);
    const earlier = new Date(now.getTime() - 16_000);
    assert.match(await refusal({ ...wallet, ...hash, approved_digest, stepped_up_at: earlier }), /^INVALID_OTP/);
    assert.match(await refusal({ ...wallet, ...hash, approved_digest }), /^INVALID_OTP/);
    assert.equal((await answer({ ...wallet, ...hash, approved_digest, stepped_up_at: now })).state, 'done');
  });

  test('typed data is signed only with a fresh proof for its own digest', async () => {
    const wallet = await newWallet();
    const stepped_up_at = t.services.clock();
    assert.match(await refusal({ ...wallet, ...vote(1) }), /^INVALID_OTP/);
    assert.match(await refusal({ ...wallet, ...vote(1), stepped_up_at }), /^INVALID_OTP/);
    const approved_digest = await digestOf(vote(1));
    assert.match(await refusal({ ...wallet, ...vote(2), stepped_up_at, approved_digest }), /^INVALID_OTP/);
    assert.equal((await answer({ ...wallet, ...vote(1), stepped_up_at, approved_digest })).state, 'done');
  });

  test('no text that signs in here is signed, whatever proof comes with it', async () => {
    const wallet = await newWallet();
    const stepped_up_at = t.services.clock();
    const terms = { nonce: 'n'.repeat(24), issuedAt: stepped_up_at, expiresAt: stepped_up_at };
    const asker = { name: 'Latchkey', isApplication: false };
    const page = {
      domain: 'latchkey.test',
      uri: 'http://latchkey.test/',
      asker,
      chain: '1',
      requestId: 'f'.repeat(16),
    };
    const texts = [
      writeMessage({ ...page, ...terms, address: wallet.address, resources: [] }),
      writeMessage({ ...page, ...terms, address: undefined, resources: [] }),
      ethereumRequestText({
        baseUrl: 'http://latchkey.test',
        method: 'GET',
        path: '/account',
        issuedAt: stepped_up_at.toISOString(),
        nonce: terms.nonce,
      }),
    ];
    for (const text of texts) {
      const request = { ...wallet, purpose: 'message' as const, text };
      const approved_digest = await digestOf(request);
      assert.match(
        await refusal({ ...request, stepped_up_at, approved_digest }),
        /^STATE_CONFLICT: .*could let someone log in/,
      );
    }
  });

  test('a message that links the wallet is signed for its own user’s account, and with a proof', async () => {
    const [wallet, other] = [await newWallet(), await newWallet()];
    const stepped_up_at = t.services.clock();
    const linking = async (userId: string, target?: LinkTarget) => {
      const text = writeLinkMessage({
        baseUrl: 'http://latchkey.test',
        userId,
        userName: 'Ann (Account: DIS#USER#1)',
        target,
        nonce: 'n'.repeat(24),
        issuedAt: stepped_up_at,
        expiresAt: stepped_up_at,
      });
      const request = {
        ...wallet,
        purpose: target?.asTypedData ? ('typed-data' as const) : ('message' as const),
        text,
      };
      return { ...request, approved_digest: await digestOf(request) };
    };
    const account = { namespace: 'evm', chain: '1', address: wallet.address };
    for (const target of [undefined, account, { ...account, asTypedData: true }]) {
      const [own, foreign] = [await linking(wallet.user_id, target), await linking(other.user_id, target)];
      assert.match(await refusal({ ...foreign, stepped_up_at }), /^STATE_CONFLICT: .*another account/);
      assert.match(await refusal(own), /^INVALID_OTP/);
      assert.equal((await answer({ ...own, stepped_up_at })).state, 'done');
    }
  });

  test('typed data and hashes have a separate daily limit', async () => {
    const wallet = await newWallet();
    signer.ctx.policy = { ...testPolicy, maxTypedPerDay: 2, allowsHashes: true };
    const approved = async (request: { purpose: Purpose; text: string }) => ({
      ...wallet,
      ...request,
      stepped_up_at: t.services.clock(),
      approved_digest: await digestOf(request),
    });
    for (const request of [vote(1), hash]) assert.equal((await answer(await approved(request))).state, 'done');
    for (const request of [vote(2), hash])
      assert.match(await refusal(await approved(request)), /^RATE_LIMITED: .*up to 2 typed data and hashes a day/);
    assert.equal((await answer({ ...wallet, ...message })).state, 'done');
    t.advanceSeconds(24 * 60 * 60);
    assert.equal((await answer(await approved(vote(2)))).state, 'done');
  });

  test('the per-minute and daily limits hold per user, to the second, and for concurrent requests', async () => {
    const [wallet, other] = [await newWallet(), await newWallet()];
    signer.ctx.policy = { ...testPolicy, maxPerMinute: 3, maxPerDay: 5 };
    const ids = await Promise.all(Array.from({ length: 20 }, () => send({ ...message, ...wallet })));
    await Promise.all(Array.from({ length: 8 }, () => answerAll()));
    const states = await Promise.all(ids.map(async (id) => (await read(id)).state));
    assert.equal(states.filter((state) => state === 'done').length, 3);
    assert.equal((await answer({ ...message, ...other })).state, 'done');

    t.advanceSeconds(20);
    const { answer: reply } = await answer({ ...message, ...wallet });
    assert.ok(reply !== null && 'code' in reply);
    assert.deepEqual([reply.code, reply.retryAfterSeconds], ['RATE_LIMITED', 40]);
    t.advanceSeconds(40);
    for (const _ of [4, 5]) assert.equal((await answer({ ...message, ...wallet })).state, 'done');
    assert.match(await refusal({ ...message, ...wallet }), /up to 5 times a day/);
    t.advanceSeconds(24 * 60 * 60 - 60);
    assert.equal((await answer({ ...message, ...wallet })).state, 'done');
  });

  async function answerAll(): Promise<void> {
    while (await answerNext(signer.ctx));
  }

  test('a signer that is interrupted has done nothing, and the next one answers once', async () => {
    const wallet = await newWallet();
    const id = await send({ ...message, ...wallet });
    const { publish } = signer.ctx.bus;
    // Fails right before the commit, as if the process or its connection were killed.
    const killed = async () => {
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' });
    };
    await assert.rejects(answerNext({ ...signer.ctx, bus: { ...signer.ctx.bus, publish: killed } }));
    assert.equal((await read(id)).state, 'pending');
    assert.equal(await countSignatures(wallet.user_id), 0);
    await Promise.all([answerAll(), answerAll()]);
    assert.equal((await read(id)).state, 'done');
    assert.equal(await countSignatures(wallet.user_id), 1);
    assert.equal(signer.ctx.bus.publish, publish);
  });

  async function countSignatures(userId: string): Promise<number> {
    const query = signer.ctx.db.system.selectFrom('signer.signatures').select('request_id');
    return (await query.where('user_id', '=', userId).execute()).length;
  }

  test('an undecryptable key is reported as a server error, and does not hold up the others', async () => {
    const [broken, whole] = [await newWallet(), await newWallet()];
    const moved = (tx: Tx) => tx.updateTable('signer.keys').set({ wallet_id: 'moved' });
    await signer.ctx.db.system.transaction().execute((tx) => moved(tx).where('user_id', '=', broken.user_id).execute());
    const ids = [await send({ ...message, ...broken }), await send({ ...message, ...whole })];
    await answerAll();
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await read(id)).state)), ['refused', 'done']);
    assert.ok(t.log.lines.some((line) => line.includes('Failed to answer a request')));
  });

  test('the platform can neither answer a request itself nor withdraw a refusal', async () => {
    const wallet = await newWallet();
    const id = await send({ ...hash, ...wallet });
    for (const values of [{ state: 'pending' as const }, { stepped_up_at: t.services.clock() }, { user_id: 'x' }])
      await assert.rejects(
        t.services.db.system.updateTable('signer.requests').set(values).where('id', '=', id).execute(),
        { code: '42501' },
      );
    await assert.rejects(send({ ...message, ...wallet, state: 'done' }), { code: '42501' });
  });

  test('with a new master key every wallet is rewrapped, and the old key can be removed', async () => {
    const wallet = await newWallet();
    await checkSignerKey(signer.ctx);
    const random = seededRandom('rotation');
    const newKey = { id: 's2', key: random.bytes(32) };
    const { count } = await signer.ctx.db.system
      .selectFrom('signer.keys')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      // An earlier test moved this wallet, so no key decrypts it.
      .where('wallet_id', '<>', 'moved')
      .executeTakeFirstOrThrow();
    const both = { ...signer.ctx, keyring: createKeyring([newKey, signerKey], random) };
    assert.equal((await rewrapKeys(both)).rewrapped, count + 1);
    const after = { ...signer.ctx, keyring: createKeyring([newKey], random) };
    await checkSignerKey(after);
    await assert.rejects(checkSignerKey(signer.ctx), /not the one its wallets were created with/);
    const id = await send({ ...message, ...wallet });
    while (await answerNext(after));
    assert.equal((await read(id)).state, 'done');
  });
});
