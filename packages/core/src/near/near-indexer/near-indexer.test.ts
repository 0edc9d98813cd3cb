import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { findMints, forgetNearIndex, indexStep } from './index.ts';
import * as reads from './reads.ts';
import { type MemoryNetwork, memoryNetwork } from './testing.ts';

const event = (standard: string, name: string, data: unknown) =>
  `EVENT_JSON:${JSON.stringify({ standard, version: '1.0.0', event: name, data: [data] })}`;

describe('the NEAR index', () => {
  let t: TestPlatform;
  let network: MemoryNetwork;
  const { signal } = new AbortController();
  before(async () => {
    t = await testPlatform('near-indexer');
  });
  after(() => t.close());
  beforeEach(async () => {
    await forgetNearIndex(t.services);
    network = memoryNetwork();
    network.addBlock();
  });

  const step = () => indexStep(t.services, network, signal);
  const catchUp = async () => {
    while ((await step()) === 'moved');
  };
  const methods = (calls: readonly { method?: string }[]) => calls.map(({ method }) => method);

  test('transactions, receipts and their origins can be looked up', async () => {
    await catchUp();
    network.addBlock([
      {
        signer: 'alice.near',
        contract: 'art.near',
        method: 'nft_transfer_call',
        args: { token_id: '7', receiver_id: 'market.near' },
        calls: { contract: 'market.near', method: 'nft_on_transfer', args: { token_id: '7' } },
      },
    ]);
    const holding = network.addBlock();
    await catchUp();
    const transaction = await reads.getTransaction(t.services, { txHash: 'tx0' });
    assert.equal(transaction.status, 'SUCCESS_RECEIPT_ID');
    assert.equal(transaction.signer_account_id, 'alice.near');
    assert.equal(transaction.converted_into_receipt_id, 'receipt0');
    assert.equal(transaction.receipt_conversion_gas_burnt, 2428000000000n);
    assert.deepEqual(await reads.getReceipt(t.services, { receiptId: 'receipt0b' }), {
      receipt_id: 'receipt0b',
      receipt_kind: 'ACTION',
      included_in_block_hash: holding.hash,
      included_in_block_timestamp: BigInt(holding.timestamp),
      included_in_chunk_hash: holding.chunks[0]?.hash,
      index_in_chunk: 1,
      originated_from_transaction_hash: 'tx0',
      predecessor_account_id: 'art.near',
      receiver_account_id: 'market.near',
    });
  });

  test('signed transactions are distinguished from cross-contract calls', async () => {
    await catchUp();
    network.addBlock([
      {
        signer: 'alice.near',
        contract: 'art.near',
        method: 'nft_transfer_call',
        args: {},
        calls: inner('market.near'),
      },
      { signer: 'alice.near', contract: 'alice.near', method: 'tidy_up', args: {} },
    ]);
    network.addBlock([{ signer: 'bob.near', contract: 'market.near', method: 'buy', args: { token_id: '7' } }]);
    network.addBlock();
    await catchUp();
    assert.deepEqual(methods(await reads.getTransactions(t.services, {})), ['buy', 'nft_transfer_call', 'tidy_up']);
    assert.deepEqual(methods(await reads.getTransactions(t.services, { caller: 'alice.near' })), [
      'nft_transfer_call',
      'tidy_up',
    ]);
    const onMarket = { contract: 'market.near' };
    assert.deepEqual(methods(await reads.getTransactions(t.services, onMarket)), ['buy']);
    assert.deepEqual(methods(await reads.getFunctionCalls(t.services, onMarket)), ['buy', 'nft_on_transfer']);
    assert.deepEqual(methods(await reads.getFunctionCalls(t.services, { ...onMarket, caller: 'art.near' })), [
      'nft_on_transfer',
    ]);
    assert.deepEqual(methods(await reads.getFunctionCalls(t.services, { ...onMarket, limit: 1, offset: 1 })), [
      'nft_on_transfer',
    ]);
  });

  test('calls about a token or an account are found by arguments and by contract logs', async () => {
    await catchUp();
    const minted = event('nep171', 'nft_mint', { owner_id: 'carol.near', token_ids: ['9'] });
    network.addBlock([
      { signer: 'alice.near', contract: 'art.near', method: 'nft_mint', args: {}, logs: ['not an event', minted] },
      {
        signer: 'carol.near',
        contract: 'art.near',
        method: 'nft_transfer',
        args: { token_id: '9', receiver_id: 'dan.near' },
      },
      {
        signer: 'alice.near',
        contract: 'coin.near',
        method: 'ft_transfer',
        args: { receiver_id: 'dan.near', amount: '5' },
      },
      {
        signer: 'alice.near',
        contract: 'stall.near',
        method: 'nft_on_approve',
        args: { token_id: '9', owner_id: 'dan.near' },
      },
    ]);
    network.addBlock();
    await catchUp();
    const ofToken = await reads.getTransactionHistoryForToken(t.services, { contract: 'art.near', tokenId: '9' });
    assert.deepEqual(methods(ofToken), ['nft_transfer', 'nft_mint']);
    const ofCarol = { contract: 'art.near', account: 'carol.near' };
    assert.deepEqual(methods(await reads.getTransactionHistoryForAccount(t.services, ofCarol)), [
      'nft_transfer',
      'nft_mint',
    ]);
    assert.deepEqual(await reads.findLikelyNfts(t.services, { accountId: 'dan.near' }), ['art.near']);
    assert.deepEqual(await reads.findLikelyTokens(t.services, { accountId: 'dan.near' }), ['coin.near']);
    assert.deepEqual(await reads.findLikelyNfts(t.services, { accountId: 'carol.near' }), ['art.near']);
    const children = (type?: string) =>
      reads.getChildAccounts(t.services, { parentAccount: 'near', ...(type && { type }) });
    assert.deepEqual(await children(), ['alice.near', 'art.near', 'carol.near', 'coin.near', 'stall.near']);
    assert.deepEqual(await children('nft'), ['art.near']);
    assert.deepEqual(await children('ft'), ['coin.near']);
    await assert.rejects(children('dogs'), { code: 'INVALID_PARAMETER_VALUE' });
  });

  test('arguments of any kind are stored: bytes, broken JSON, texts with NULs, huge ones', async () => {
    await catchUp();
    const args = [
      '\u0000\u0001',
      '{"token_id":',
      '[1]',
      '{"a":"\\u0000","token_id":"x\\u0000"}',
      `{"a":"${'x'.repeat(70_000)}"}`,
    ];
    network.addBlock(args.map((text) => ({ signer: 'alice.near', contract: 'odd.near', method: 'take', args: text })));
    network.addBlock();
    await catchUp();
    const seen = (await reads.getFunctionCalls(t.services, { contract: 'odd.near' }))
      .map((call) => call.args)
      .reverse();
    assert.deepEqual(seen, [
      { args_base64: 'AAE=' },
      { args_base64: Buffer.from('{"token_id":').toString('base64') },
      { args_base64: Buffer.from('[1]').toString('base64') },
      { a: '\u0000', token_id: 'x\u0000' },
      { args_bytes: 70_008 },
    ]);
  });

  test('times, amounts and arguments keep every digit, around the bounds of doubles and of the chain', async () => {
    await catchUp();
    const bounds = [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, 10n ** 18n, 1_763_287_000_123_456_789n];
    const times = bounds.flatMap((at) => [at - 1n, at, at + 1n].filter((time) => time < 2n ** 64n));
    const drawn = BigInt(`0x${Buffer.from(t.services.random.bytes(16)).toString('hex')}`);
    const amounts = [...bounds, 10n ** 24n + 1n, 2n ** 127n, 2n ** 128n - 1n, drawn];
    for (const [n, timestamp] of times.entries()) {
      const tokensBurnt = String(amounts[n % amounts.length]);
      const args = `{"amount":${tokensBurnt},"share":0.5,"list":[${timestamp},-${timestamp}]}`;
      network.addBlock([{ signer: 'alice.near', contract: 'alice.near', method: `m${n}`, args, tokensBurnt }], {
        timestamp: String(timestamp),
      });
    }
    network.addBlock();
    await catchUp();
    const calls = (await reads.getFunctionCalls(t.services, { contract: 'alice.near', limit: 1000 })).toReversed();
    assert.deepEqual(
      calls.map(({ timestamp }) => timestamp),
      times,
    );
    for (const [n, { args, receiptId = '' }] of calls.entries()) {
      const amount = amounts[n % amounts.length];
      const time = times[n];
      assert.equal(JSON.stringify(args), `{"amount":${amount},"share":0.5,"list":[${time},-${time}]}`);
      const receipt = await reads.getReceipt(t.services, { receiptId });
      assert.equal(receipt.included_in_block_timestamp, time);
      const txHash = receipt.originated_from_transaction_hash ?? '';
      const transaction = await reads.getTransaction(t.services, { txHash });
      assert.deepEqual([transaction.block_timestamp, transaction.receipt_conversion_tokens_burnt], [time, amount]);
    }
  });

  test('the latest mint of a token is found with its transaction and time, on any contract', async () => {
    await catchUp();
    const minted = (contract: string, id: string) => ({
      signer: 'alice.near',
      contract,
      method: 'make',
      args: {},
      logs: [event('nep171', 'nft_mint', { owner_id: 'carol.near', token_ids: [id] })],
    });
    network.addBlock([minted('art.near', '1'), minted('odd.near', '1')]);
    const first = network.addBlock();
    const moved = event('nep171', 'nft_transfer', { old_owner_id: 'a.near', new_owner_id: 'b.near', token_ids: ['1'] });
    network.addBlock([{ ...minted('art.near', '1'), logs: [moved] }, minted('art.near', '2')]);
    network.addBlock([minted('odd.near', '1')]);
    const again = network.addBlock();
    await catchUp();
    const mints = (contract: string) => findMints(t.services.db.system, contract, ['1', '2', '3']);
    const art = await mints('art.near');
    assert.deepEqual([...art.keys()].toSorted(), ['1', '2']);
    const ms = (block: { timestamp: string }) => Number(BigInt(block.timestamp) / 1_000_000n);
    assert.deepEqual(art.get('1'), { transactionHash: 'tx0', at: new Date(ms(first)) });
    assert.deepEqual((await mints('odd.near')).get('1'), { transactionHash: 'tx4', at: new Date(ms(again)) });
  });

  test('an index that is not filled says so instead of reporting no activity', async () => {
    const off = { ...t.services, settings: { nearIndex: undefined } };
    const refused = { code: 'NOT_CONFIGURED', message: /LATCHKEY_NEAR_INDEX/ };
    await assert.rejects(reads.getReceipt(off, { receiptId: 'x' }), refused);
    await assert.rejects(reads.getTransaction(off, { txHash: 'x' }), refused);
    await assert.rejects(reads.getTransactions(off, {}), refused);
    await assert.rejects(reads.getFunctionCalls(off, { contract: 'a.near' }), refused);
    await assert.rejects(reads.getTransactionHistoryForToken(off, { contract: 'a.near', tokenId: '1' }), refused);
    await assert.rejects(reads.getTransactionHistoryForAccount(off, { contract: 'a.near', account: 'b' }), refused);
    await assert.rejects(reads.getChildAccounts(off, { parentAccount: 'near' }), refused);
    await assert.rejects(reads.findLikelyTokens(off, { accountId: 'a.near' }), refused);
    await assert.rejects(reads.findLikelyNfts(off, { accountId: 'a.near' }), refused);
  });

  test('heights without a block are skipped, and a block that a node hides is requested by its hash', async () => {
    await catchUp();
    const call = (n: number) => ({ signer: 'alice.near', contract: 'art.near', method: `call${n}`, args: {} });
    network.addBlock([call(1)], { skipHeights: 3 });
    const hidden = network.addBlock([call(2)]);
    network.addBlock([call(3)]);
    network.addBlock();
    network.hiddenHeights.add(hidden.height);
    await catchUp();
    assert.deepEqual(methods(await reads.getTransactions(t.services, {})), ['call3', 'call2', 'call1']);
  });

  test('a block that no node has stops the index, which loses nothing and continues when it is back', async () => {
    await catchUp();
    const lost = network.addBlock([{ signer: 'alice.near', contract: 'art.near', method: 'one', args: {} }]);
    network.addBlock();
    network.lostHashes.add(lost.hash);
    await assert.rejects(step(), /does not follow the last block/);
    assert.deepEqual(await reads.getTransactions(t.services, {}), []);
    network.lostHashes.clear();
    await catchUp();
    assert.deepEqual(methods(await reads.getTransactions(t.services, {})), ['one']);
  });

  test('pending receipts are requested again', async () => {
    await catchUp();
    network.unfinished.add('tx0');
    network.addBlock([
      { signer: 'alice.near', contract: 'art.near', method: 'one', args: {}, calls: inner('other.near') },
    ]);
    network.addBlock();
    await catchUp();
    const origin = async () =>
      (await reads.getReceipt(t.services, { receiptId: 'receipt0b' })).originated_from_transaction_hash;
    assert.equal(await origin(), undefined);
    t.advanceSeconds(2);
    await step();
    assert.equal(await origin(), undefined);
    network.unfinished.clear();
    t.advanceSeconds(60);
    await step();
    assert.equal(await origin(), 'tx0');
    const open = await t.services.db.system
      .selectFrom('near_seen_transactions')
      .where('check_at', 'is not', null)
      .selectAll()
      .execute();
    assert.deepEqual(open, []);
  });

  test('two followers at once index every block once', async () => {
    await catchUp();
    for (let n = 0; n < 40; n++)
      network.addBlock([{ signer: 'alice.near', contract: 'art.near', method: `call${n}`, args: { token_id: '1' } }]);
    network.addBlock();
    await Promise.all([catchUp(), catchUp(), catchUp()]);
    const calls = await reads.getTransactions(t.services, { limit: 1000 });
    assert.deepEqual(
      methods(calls),
      Array.from({ length: 40 }, (_, n) => `call${39 - n}`),
    );
    const history = await reads.getTransactionHistoryForToken(t.services, { contract: 'art.near', tokenId: '1' });
    assert.equal(history.length, 40);
  });

  test('it is recorded when the newest block was last in the index', async () => {
    await catchUp();
    const setReached = (to: Date) =>
      t.services.db.system.updateTable('near_index_cursor').set({ reached_at: to }).execute();
    const reached = async () =>
      (await t.services.db.system.selectFrom('near_index_cursor').select('reached_at').executeTakeFirst())?.reached_at;
    const before = new Date(0);
    await setReached(before);
    await step();
    assert.deepEqual(await reached(), t.services.clock(), 'nothing is new');
    await setReached(before);
    network.addBlock();
    await step();
    assert.deepEqual(await reached(), t.services.clock(), 'one block is new');
    await setReached(before);
    for (let n = 0; n < 33; n += 1) network.addBlock();
    await step();
    assert.deepEqual(await reached(), before, 'one block is still missing');
    await catchUp();
  });

  test('a network outage is an error and changes nothing; an unknown item is not found', async () => {
    await catchUp();
    const before = await t.services.db.system.selectFrom('near_index_cursor').selectAll().execute();
    network.addBlock();
    network.isDown = true;
    await assert.rejects(step(), /could not be reached/);
    assert.deepEqual(await t.services.db.system.selectFrom('near_index_cursor').selectAll().execute(), before);
    await assert.rejects(reads.getReceipt(t.services, { receiptId: 'nobody' }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(reads.getTransaction(t.services, { txHash: 'nobody' }), { code: 'ENTITY_NOT_FOUND' });
  });
});

const inner = (contract: string) => ({ contract, method: 'nft_on_transfer', args: { token_id: '7' } });
