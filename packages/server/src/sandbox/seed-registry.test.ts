import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getContractAddress } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { composeRegistry } from '../compose/hosted-wallets.ts';
import { composeSafes } from '../compose/safes.ts';
import { spendingSettings } from '../compose/spending.ts';
import { readConfig } from '../config.ts';
import { sampleRegistry, withEmulators } from './with-emulators.ts';

test('the sample registry is at the first deployment address of the development chain’s last account', () => {
  const words = 'test test test test test test test test test test test junk';
  const { address: from } = mnemonicToAccount(words, { addressIndex: 19 });
  assert.equal(sampleRegistry, getContractAddress({ from, nonce: 0n }));
});

test('a registry that the operator configured is left alone', () => {
  const address = `0x${'1'.repeat(40)}`;
  const config = readConfig({ LATCHKEY_REGISTRY_ADDRESS: address, LATCHKEY_REGISTRY_CHAIN_ID: '8453' });
  assert.deepEqual(withEmulators(config).registry, { chainId: 8453, address, registrarKey: undefined });
  assert.equal(withEmulators(readConfig({})).registry.address, sampleRegistry);
});

test('only the emulators provide the emulator chain', async () => {
  const [plain, twinned] = [readConfig({}), withEmulators(readConfig({}))];
  assert.deepEqual([plain.walletChainId, plain.registry.chainId, plain.evmRpcUrls.size], [undefined, undefined, 0]);
  assert.deepEqual([twinned.walletChainId, twinned.registry.chainId], [31337, 31337]);
  assert.equal(withEmulators(readConfig({ LATCHKEY_WALLET_CHAIN_ID: '10' })).walletChainId, 10);
  await assert.rejects(
    composeRegistry({ ...plain, registry: { ...twinned.registry, chainId: undefined } }),
    /LATCHKEY_REGISTRY_CHAIN_ID/,
  );
});

test('community wallets are on the emulator chain, and fees are paid there; elsewhere the operator decides', async () => {
  const [plain, twinned] = [readConfig({}), withEmulators(readConfig({}))];
  assert.equal(await composeSafes(plain), undefined);
  assert.equal((await composeSafes(twinned))?.chainId, 31337);
  assert.deepEqual(spendingSettings(plain).budgets, {});
  assert.ok(spendingSettings(twinned).budgets['evm:31337/wallets']);
  const own = {
    LATCHKEY_WALLET_CHAIN_ID: '10',
    LATCHKEY_WALLET_SPEND_PER_DAY: '0.5',
    LATCHKEY_WALLET_SPEND_PER_CALLER: '0.1',
  };
  const budget = { total: 5n * 10n ** 17n, perCaller: 10n ** 17n };
  assert.deepEqual(spendingSettings(readConfig(own)).budgets, { 'evm:10/wallets': budget });
  assert.deepEqual(spendingSettings(withEmulators(readConfig(own))).budgets['evm:10/wallets'], budget);
  assert.equal(
    spendingSettings(withEmulators(readConfig({ LATCHKEY_WALLET_CHAIN_ID: '10' }))).budgets['evm:10/wallets'],
    undefined,
  );
});
