import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { withEmulators } from '../sandbox/index.ts';
import { spendingSettings } from './spending.ts';

test('nothing is paid for others unless both limits of a coin are set', () => {
  assert.deepEqual(spendingSettings(readConfig({})), { spenders: [], budgets: {} });
  const half = readConfig({ LATCHKEY_NEAR_SPEND_PER_DAY: '1', LATCHKEY_REGISTRY_SPEND_PER_CALLER: '1' });
  assert.deepEqual(spendingSettings(half).budgets, {});
});

test('limits are read to the last unit of the coin', () => {
  const config = readConfig({
    LATCHKEY_SPENDERS: 'people, app-1',
    LATCHKEY_NEAR_SPEND_PER_DAY: '123456.000000000000000000000001',
    LATCHKEY_NEAR_SPEND_PER_CALLER: '0.5',
    LATCHKEY_REGISTRY_CHAIN_ID: '8453',
    LATCHKEY_REGISTRY_SPEND_PER_DAY: '0.05',
    LATCHKEY_REGISTRY_SPEND_PER_CALLER: '0',
  });
  assert.deepEqual(spendingSettings(config), {
    spenders: ['people', 'app-1'],
    budgets: {
      'near:mainnet': { total: 123456n * 10n ** 24n + 1n, perCaller: 5n * 10n ** 23n },
      'evm:8453': { total: 5n * 10n ** 16n, perCaller: 0n },
    },
  });
  for (const amount of ['1e3', '-1', '.5', '1.', '0x1', `0.${'0'.repeat(24)}1`])
    assert.throws(() => readConfig({ LATCHKEY_NEAR_SPEND_PER_DAY: amount }), /LATCHKEY_NEAR_SPEND_PER_DAY/);
});

test('on emulators every caller may spend, and with a real account only the callers the operator names', () => {
  const sample = spendingSettings(withEmulators(readConfig({})));
  assert.deepEqual(sample.spenders, ['people', 'apps']);
  assert.deepEqual(Object.keys(sample.budgets), ['near:testnet', 'evm:31337', 'evm:31337/wallets']);
  const real = spendingSettings(withEmulators(readConfig({ LATCHKEY_NEAR_ACCOUNT: 'shop.near' })));
  assert.deepEqual(real.spenders, []);
  assert.deepEqual(Object.keys(real.budgets), ['evm:31337', 'evm:31337/wallets']);
});
