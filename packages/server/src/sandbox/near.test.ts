import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgetNearIndex, indexStep } from '@latchkey/core';
import { testPlatform } from '@latchkey/core/testing';
import { nearReads } from '@latchkey/core/testing/insides';
import { sampleNearAccounts, startSampleNear } from '@latchkey/emulators/sample-world';
import { composeNear } from '../compose/near.ts';
import { composeNearIndex } from '../compose/near-index.ts';
import { readConfig } from '../config.ts';
import { sampleNear, sampleNearStart, withEmulators } from './with-emulators.ts';

test('the server finds its account, the code and the market on the NEAR network of the emulators', async (t) => {
  const emulator = await startSampleNear();
  t.after(emulator.stop);
  const config = withEmulators(readConfig({ LATCHKEY_SANDBOX: 'true' }));
  assert.deepEqual(config.chainUrls.get('near:testnet'), ['http://127.0.0.1:3044']);
  const near = await composeNear({ ...config, chainUrls: new Map([['near:testnet', [emulator.url]]]) });
  assert.ok(near);
  assert.deepEqual([near.account.id, near.network], [sampleNearAccounts.server, sampleNearAccounts.network]);
  const keys = await near.keysOf(near.account.id);
  assert.deepEqual(
    keys.map(({ publicKey, only }) => [publicKey, only]),
    [[near.account.publicKey, undefined]],
  );
  const { kind } = await near.view(sampleNear.market, 'supported_ft_token_ids', {});
  assert.equal(kind, 'value');
  for (const id of [sampleNear.tokenCode, sampleNear.marketCode]) assert.ok(await near.findAccount(id));
});

test('missing NEAR settings are named, and an operator’s account takes precedence over the emulators', async () => {
  const privateKey = `ed25519:${'secret'.repeat(12)}`;
  const config = readConfig({ LATCHKEY_NEAR_ACCOUNT: 'shop.near', LATCHKEY_NEAR_PRIVATE_KEY: privateKey });
  await assert.rejects(composeNear(config), (error: Error) => {
    assert.match(error.message, /near:mainnet=… .*LATCHKEY_NEAR_TOKEN_CODE, LATCHKEY_NEAR_MARKET_CODE/);
    return !error.message.includes('secret');
  });
  assert.equal(withEmulators({ ...config, sandbox: true }).near.account, 'shop.near');
  assert.equal(await composeNear(readConfig({})), undefined);
});

test('the sample network is indexed from its start, so that each of the nine operations has rows', async (t) => {
  const emulator = await startSampleNear();
  t.after(emulator.stop);
  const platform = await testPlatform('sample-index');
  t.after(platform.close);
  const config = withEmulators(readConfig({ LATCHKEY_SANDBOX: 'true' }));
  assert.deepEqual(config.nearIndex, { network: 'testnet', from: sampleNearStart });
  const blocks = composeNearIndex({ ...config, chainUrls: new Map([['near:testnet', [emulator.url]]]) });
  assert.ok(blocks);
  const services = { ...platform.services, settings: { ...platform.services.settings, nearIndex: blocks.network } };
  const catchUp = async () => {
    while ((await indexStep(services, blocks, new AbortController().signal)) === 'moved');
  };
  await catchUp();
  const { art, coin, market, server, people } = sampleNearAccounts;
  const [ada, ben] = people;
  const [minted] = (
    await nearReads.getTransactionHistoryForToken(services, { contract: art, tokenId: '1' })
  ).toReversed();
  assert.equal(minted?.method, 'nft_mint');
  const receipt = await nearReads.getReceipt(services, { receiptId: minted?.receiptId ?? '' });
  const txHash = receipt.originated_from_transaction_hash ?? '';
  assert.equal((await nearReads.getTransaction(services, { txHash })).signer_account_id, server);
  const methods = (calls: readonly { method?: string }[]) => new Set(calls.map(({ method }) => method));
  assert.ok(methods(await nearReads.getTransactions(services, { caller: ben })).has('offer'));
  assert.ok(methods(await nearReads.getFunctionCalls(services, { contract: market })).has('nft_on_approve'));
  const ofAda = { contract: art, account: ada };
  assert.ok(methods(await nearReads.getTransactionHistoryForAccount(services, ofAda)).has('nft_approve'));
  assert.deepEqual(await nearReads.getChildAccounts(services, { parentAccount: server }), [art, coin, market]);
  assert.deepEqual(await nearReads.findLikelyNfts(services, { accountId: ben }), [art]);
  assert.deepEqual(await nearReads.findLikelyTokens(services, { accountId: ben }), [coin]);

  await forgetNearIndex(services);
  assert.deepEqual(await nearReads.getTransactions(services, {}), [], 'the next start has a new network');
  await catchUp();
  assert.ok((await nearReads.getTransactions(services, {})).length > 0);
});

test('an operator’s index takes precedence over the emulators’', () => {
  const own = readConfig({ LATCHKEY_NEAR_INDEX: 'mainnet', LATCHKEY_SANDBOX: 'true' });
  assert.equal(withEmulators(own).nearIndex.network, 'mainnet');
  const account = readConfig({ LATCHKEY_NEAR_ACCOUNT: 'shop.near', LATCHKEY_SANDBOX: 'true' });
  assert.equal(withEmulators(account).nearIndex.network, undefined);
});
