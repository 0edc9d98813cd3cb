import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleNearAccounts, startSampleNear } from '@latchkey/twins';
import { composeNear } from '../compose/near.ts';
import { readConfig } from '../config.ts';
import { sampleNear, withTwins } from './with-twins.ts';

test('the server finds its account, the code and the market on the NEAR network of the twins', async (t) => {
  const twin = await startSampleNear();
  t.after(twin.stop);
  const config = withTwins(readConfig({ LATCHKEY_TRY_OUT: 'true' }));
  assert.deepEqual(config.chainUrls.get('near:testnet'), ['http://127.0.0.1:3044']);
  const near = await composeNear({ ...config, chainUrls: new Map([['near:testnet', [twin.url]]]) });
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

test('what is missing beside the account on NEAR is named, and an account of the operator goes before the twins', async () => {
  const config = readConfig({ LATCHKEY_NEAR_ACCOUNT: 'shop.near', LATCHKEY_NEAR_PRIVATE_KEY: 'ed25519:secret' });
  await assert.rejects(composeNear(config), (error: Error) => {
    assert.match(error.message, /near:mainnet=… .*LATCHKEY_NEAR_TOKEN_CODE, LATCHKEY_NEAR_MARKET_CODE/);
    return !error.message.includes('secret');
  });
  assert.equal(withTwins({ ...config, tryOut: true }).near.account, 'shop.near');
  assert.equal(await composeNear(readConfig({})), undefined);
});
