import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonRpcProvider } from 'near-api-js';
import { startNearRpcEmulator } from './index.ts';

test('NEAR’s client reads blocks, accounts and contracts, and understands the errors', async (t) => {
  const emulator = await startNearRpcEmulator();
  t.after(emulator.stop);
  const { state } = emulator;
  state.yocto.set('alice.near', '1500000000000000000000001');
  state.contracts.set('coin.near', {
    kind: 'nep141',
    decimals: 18,
    symbol: 'COIN',
    units: new Map([['alice.near', '7']]),
  });
  const tokens = [1, 2, 3].map((id) => ({ token_id: String(id), owner_id: 'alice.near' }));
  state.contracts.set('art.near', { kind: 'nep171', tokens });
  const provider = new JsonRpcProvider({ url: emulator.url }, { retries: 1 });

  const block = await provider.viewBlock({ finality: 'final' });
  assert.equal(block.header.height, state.finalHeight);
  const blockQuery = { blockId: block.header.height };
  assert.equal(
    (await provider.viewAccount({ accountId: 'alice.near', blockQuery })).amount,
    1_500_000_000_000_000_000_000_001n,
  );
  const call = (contractId: string, method: string, args: Record<string, unknown>) =>
    provider.callFunction({ contractId, method, args, blockQuery });
  assert.equal(await call('coin.near', 'ft_balance_of', { account_id: 'alice.near' }), '7');
  assert.equal(await call('art.near', 'nft_supply_for_owner', { account_id: 'alice.near' }), '3');
  assert.deepEqual(
    await call('art.near', 'nft_tokens_for_owner', { account_id: 'alice.near', from_index: '1', limit: 1 }),
    [tokens[1]],
  );

  await assert.rejects(provider.viewAccount({ accountId: 'nobody.near' }), /nobody\.near/);
  await assert.rejects(call('coin.near', 'no_such_method', {}));
  await assert.rejects(call('alice.near', 'ft_metadata', {}));
});
