import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, actions, baseDecode, createTransaction, KeyPair, KeyPairSigner, PublicKey } from 'near-api-js';
import { FungibleToken } from 'near-api-js/tokens';
import { startNearChain } from './index.ts';
import { isBalanced, near, startForClients } from './testing.ts';

test('NEAR’s client creates accounts, pays, and adds and removes keys', async (t) => {
  const { chain, provider, clientOf } = await startForClients(t);
  const alice = clientOf('alice.near');
  const key = KeyPair.fromRandom('ed25519');
  const created = await alice.createSubAccount({
    accountOrPrefix: 'shop',
    publicKey: key.getPublicKey(),
    nearToTransfer: 5n * near,
  });
  assert.deepEqual(created.status, { SuccessValue: '' });
  assert.equal(chain.balanceOf('shop.alice.near'), 5n * near);
  await alice.createAccount({ newAccountId: 'bob.near', publicKey: key.getPublicKey(), nearToTransfer: near });
  await alice.transfer({ receiverId: 'bob.near', amount: 7n });
  assert.equal(chain.balanceOf('bob.near'), near + 7n);
  const extra = KeyPair.fromRandom('ed25519').getPublicKey();
  await alice.addFullAccessKey(extra);
  await alice.addFunctionCallAccessKey({
    publicKey: key.getPublicKey(),
    contractId: 'shop.alice.near',
    allowance: near,
  });
  assert.equal((await alice.getAccessKeyList()).keys.length, 3);
  await alice.deleteKey(extra);
  await assert.rejects(alice.getAccessKey(extra), { name: 'AccessKeyDoesNotExistError' });
  assert.deepEqual((await alice.getAccessKey(key.getPublicKey())).permission, {
    FunctionCall: { allowance: String(near), receiver_id: 'shop.alice.near', method_names: [] },
  });
  const implicit = Buffer.from(key.getPublicKey().data).toString('hex');
  await alice.transfer({ receiverId: implicit, amount: near });
  assert.equal((await provider.viewAccount({ accountId: implicit })).amount, near);
  assert.ok((await alice.getBalance()) < 100n * near);
  assert.ok(isBalanced(chain));
});

test('NEAR’s client gets the chain’s refusals, with the reason', async (t) => {
  const { chain, provider, clientOf } = await startForClients(t, { validityHeights: 20 });
  const alice = clientOf('alice.near');
  const stranger = KeyPairSigner.fromSecretKey(KeyPair.fromRandom('ed25519').toString());
  const nonceOf = async () => (await alice.getAccessKey(alice.publicKey)).nonce;
  const send = async (change: {
    nonce?: bigint;
    signer?: KeyPairSigner;
    key?: string;
    block?: string;
    list?: Action[];
  }) => {
    const block = change.block ?? (await provider.viewBlock({ finality: 'final' })).header.hash;
    const transaction = createTransaction(
      'alice.near',
      PublicKey.from(change.key ?? alice.publicKey),
      'near',
      change.nonce ?? (await nonceOf()) + 1n,
      change.list ?? [actions.transfer(1n)],
      baseDecode(block),
    );
    const signer = change.signer ?? KeyPairSigner.fromSecretKey(alice.secretKey as `ed25519:${string}`);
    const { signedTransaction } = await signer.signTransaction(transaction);
    return provider.sendTransactionUntil(signedTransaction, 'FINAL');
  };
  const before = chain.balanceOf('alice.near');
  const old = chain.head.hash;
  await assert.rejects(send({ nonce: await nonceOf() }), { name: 'InvalidNonceError' });
  await assert.rejects(send({ nonce: 10n ** 18n }), { name: 'NonceTooLargeError' });
  const otherKey = (await stranger.getPublicKey()).toString();
  await assert.rejects(send({ signer: stranger, key: otherKey }), { name: 'AccessKeyNotFoundActionError' });
  await assert.rejects(send({ list: [actions.transfer(10n ** 30n)] }), { name: 'NotEnoughBalanceError' });
  await assert.rejects(send({ block: '1'.repeat(32) }), { name: 'TransactionExpiredError' });
  chain.makeBlocks(30);
  await assert.rejects(send({ block: old }), { name: 'TransactionExpiredError' });
  assert.equal(chain.balanceOf('alice.near'), before);
  assert.equal((await send({})).final_execution_status, 'FINAL');
  await assert.rejects(alice.transfer({ receiverId: 'nobody.near', amount: near }), {
    name: 'AccountDoesNotExistActionError',
  });
  assert.ok((chain.balanceOf('alice.near') ?? 0n) > (before ?? 0n) - near / 2n, 'money that cannot arrive comes back');
  assert.ok(isBalanced(chain));
});

test('an altered signature, or one over other data, is refused', async (t) => {
  const { chain, provider, clientOf } = await startForClients(t);
  const alice = clientOf('alice.near');
  const signed = await alice.createSignedTransaction({ receiverId: 'near', actions: [actions.transfer(1n)] });
  const bytes = signed.encode();
  const height = chain.head.height;
  for (const at of [10, bytes.length - 1]) {
    const changed = Uint8Array.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const params = { signed_tx_base64: Buffer.from(changed).toString('base64'), wait_until: 'FINAL' as const };
    await assert.rejects(provider.sendJsonRpc('send_tx', params));
  }
  for (const bad of ['', 'AAAA', Buffer.from(bytes).toString('base64').slice(0, 80)]) {
    await assert.rejects(provider.sendJsonRpc('send_tx', { signed_tx_base64: bad }), { name: 'RpcRequestParseError' });
  }
  assert.equal(chain.head.height, height);
  const first = await provider.sendTransactionUntil(signed, 'FINAL');
  const again = await provider.sendTransactionUntil(signed, 'FINAL');
  assert.equal(first.transaction.hash, again.transaction.hash, 'the same bytes are executed once');
  assert.ok(isBalanced(chain));
});

test('a function-call key calls what it may, pays from its allowance and moves no money', async (t) => {
  const { chain, clientOf } = await startForClients(t);
  const owner = clientOf('owner.near');
  const alice = clientOf('alice.near');
  chain.createAccount('art.near');
  chain.deploy('art.near', 'nep171', {
    owner_id: 'alice.near',
    metadata: { spec: 'nft-1.0.0', name: 'Art', symbol: 'A' },
  });
  const key = KeyPair.fromRandom('ed25519');
  await alice.addFunctionCallAccessKey({
    publicKey: key.getPublicKey(),
    contractId: 'art.near',
    methodNames: ['nft_mint'],
    allowance: near / 100n,
  });
  alice.setSigner(new KeyPairSigner(key));
  const mint = (id: string) =>
    alice.callFunction({ contractId: 'art.near', methodName: 'nft_mint', args: { token_id: id } });
  assert.equal(Object(await mint('1')).owner_id, 'alice.near');
  const { permission } = await alice.getAccessKey(key.getPublicKey());
  const left = BigInt(Object(permission).FunctionCall.allowance);
  assert.ok(left < near / 100n && left > near / 200n, 'what was not burnt came back to the allowance');
  const args = { token_id: '1', receiver_id: 'owner.near' };
  await assert.rejects(alice.callFunction({ contractId: 'art.near', methodName: 'nft_transfer', args }), {
    name: 'AccessKeyMethodNameMismatchActionError',
  });
  await assert.rejects(alice.callFunction({ contractId: 'art.near', methodName: 'nft_mint', args, deposit: 1n }), {
    name: 'AccessKeyDepositWithFunctionCallActionError',
  });
  await assert.rejects(alice.callFunction({ contractId: 'owner.near', methodName: 'nft_mint', args }), {
    name: 'AccessKeyReceiverMismatchActionError',
  });
  await assert.rejects(alice.transfer({ receiverId: owner.accountId, amount: 1n }), {
    name: 'AccessKeyRequiresFullAccessActionError',
  });
  await assert.rejects(
    async () => {
      for (let id = 2; id < 100; id += 1) await mint(String(id));
    },
    { name: 'AccessKeyNotEnoughAllowanceActionError' },
  );
  assert.ok(isBalanced(chain));
});

test('NEAR’s client registers for a fungible token, transfers it, and is refunded what a receiver does not accept', async (t) => {
  const { chain, provider, clientOf } = await startForClients(t);
  const [alice, bob] = [clientOf('alice.near'), clientOf('bob.near')];
  chain.createAccount('coin.near');
  const metadata = { spec: 'ft-1.0.0', name: 'Coin', symbol: 'COIN', decimals: 6 };
  chain.deploy('coin.near', 'nep141', { owner_id: 'alice.near', total_supply: '1000', metadata });
  const coin = new FungibleToken('coin.near', metadata);
  await alice.transfer({ receiverId: 'bob.near', amount: 10, token: coin });
  assert.equal(await bob.getBalance(coin), 10n);
  await assert.rejects(coin.transfer({ from: bob, receiverId: 'alice.near', amount: 11 }), /enough balance/);
  const call = { from: bob, receiverId: 'alice.near', amount: 4n, msg: '' };
  assert.equal(await coin.transferCall(call), '0', 'an account without code accepts nothing');
  assert.equal(await bob.getBalance(coin), 10n);
  assert.equal(await provider.callFunction({ contractId: 'coin.near', method: 'ft_total_supply', args: {} }), '1000');
  assert.ok(isBalanced(chain));
});

test('blocks, chunks, receipts and outcomes are consistent, and heights may be missing', async (t) => {
  const { chain, provider, clientOf } = await startForClients(t, {
    seed: 'gaps',
    skipProbability: 0.3,
    missingChunkProbability: 0.2,
  });
  const alice = clientOf('alice.near');
  const first = chain.head.height;
  const hashes = new Set<string>();
  for (let round = 0; round < 5; round += 1)
    hashes.add((await alice.transfer({ receiverId: 'near', amount: 1n })).transaction.hash);
  const seen = new Set<string>();
  const receipts = new Set<string>();
  const missing: number[] = [];
  let previous: string | undefined;
  for (let height = first + 1; height <= chain.final.height; height += 1) {
    const block = await provider.viewBlock({ blockId: height }).catch((error: Error) => {
      assert.equal(error.name, 'UnknownBlockError');
      return undefined;
    });
    if (block === undefined) {
      missing.push(height);
      continue;
    }
    if (previous !== undefined) assert.equal(block.header.prev_hash, previous);
    previous = block.header.hash;
    for (const [shard, header] of block.chunks.entries()) {
      assert.equal(header.height_included === height, block.header.chunk_mask[shard]);
      if (header.height_included !== height) continue;
      const chunk = await provider.viewChunk(header.chunk_hash);
      for (const { hash } of chunk.transactions) seen.add(hash);
      for (const { receipt_id } of chunk.receipts) receipts.add(receipt_id);
    }
  }
  assert.deepEqual(seen, hashes);
  assert.ok(missing.length > 0);
  for (const hash of hashes) {
    const status = await provider.viewTransactionStatusWithReceipts({ txHash: hash, accountId: 'alice.near' });
    const [receiptId = ''] = status.transaction_outcome.outcome.receipt_ids;
    assert.ok(receipts.has(receiptId));
    assert.equal((await provider.viewTransactionReceipt(receiptId)).receiver_id, 'near');
  }
  await assert.rejects(provider.viewTransactionStatus({ txHash: '1'.repeat(32), accountId: 'alice.near' }), {
    name: 'UnknownTransactionError',
  });
  assert.equal((await provider.viewNodeStatus()).sync_info.latest_block_height, chain.head.height);
  assert.equal((await provider.viewGasPrice()).gas_price, '100000000');
  assert.ok((await provider.getCurrentEpochSeatPrice()) > 0n);
});

test('an older block is answered from, until its state is forgotten', async (t) => {
  const { chain, provider, clientOf } = await startForClients(t);
  const alice = clientOf('alice.near');
  const { height } = chain.head;
  const before = chain.balanceOf('alice.near');
  await alice.transfer({ receiverId: 'near', amount: near });
  const at = (blockId: number) => provider.viewAccount({ accountId: 'alice.near', blockQuery: { blockId } });
  assert.equal((await at(height)).amount, before);
  assert.ok((await at(chain.head.height)).amount < (before ?? 0n) - near);
  chain.forgetBelow(chain.head.height);
  await assert.rejects(at(height), { name: 'GarbageCollectedBlockError' });
});

test('a held transaction is in no block and unknown, and is executed once when it is released', async (t) => {
  const { chain, provider, clientOf } = await startForClients(t);
  const alice = clientOf('alice.near');
  const signed = await alice.createSignedTransaction({ receiverId: 'near', actions: [actions.transfer(near)] });
  chain.hold();
  await assert.rejects(provider.sendTransactionUntil(signed, 'FINAL'), { name: 'TransactionTimeoutError' });
  assert.deepEqual(await provider.sendTransactionUntil(signed, 'NONE'), { final_execution_status: 'NONE' });
  assert.equal(chain.balanceOf('near'), 0n);
  chain.release();
  assert.equal(chain.balanceOf('near'), near);
});

test('the same seed and clock give the same chain, over many transactions, and nothing is created or lost', async (t) => {
  const run = async () => {
    const chain = await startNearChain({ seed: 'load', clock: () => 1_750_000_000_000 });
    t.after(chain.stop);
    const started = performance.now();
    const made = chain.produce(1_500);
    return { chain, made, ms: performance.now() - started };
  };
  const [one, two] = [await run(), await run()];
  assert.equal(one.chain.head.hash, two.chain.head.hash);
  assert.deepEqual(one.made, two.made);
  assert.ok(isBalanced(one.chain));
  assert.ok(Number(one.chain.view('art.bench.near', 'nft_total_supply')) > 200);
  t.diagnostic(`${Math.round(1_500 / (two.ms / 1000))} transactions a second`);
});
