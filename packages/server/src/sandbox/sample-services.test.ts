import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composePartners, partnerSettings } from '../compose/partners.ts';
import { readConfig } from '../config.ts';
import { sampleKeys } from './sample-services.ts';
import { sampleWaitingList, withEmulators } from './with-emulators.ts';

const own = (environment: Record<string, string>) => withEmulators(readConfig(environment));

test('with the sample community every service has an emulator and the keys of its callers', () => {
  const config = own({});
  const { chainUrls, serviceKeys } = config;
  assert.deepEqual(
    ['snapshot', 'opensea', 'tokenproof'].map((name) => chainUrls.get(name)),
    [['http://127.0.0.1:3046'], ['http://127.0.0.1:3047'], ['http://127.0.0.1:3048']],
  );
  for (const [name, key] of Object.entries(sampleKeys)) assert.deepEqual(serviceKeys.get(name), [key], name);
  assert.ok(chainUrls.has('near:testnet'), 'the NEAR network stays');
  assert.ok(composePartners(config).snapshot);
  const { paymaster, snapshotWebhookSecrets } = partnerSettings(config);
  assert.deepEqual(paymaster?.calls, [{ chainId: 31337, address: sampleWaitingList.toLowerCase() }]);
  assert.deepEqual(
    [paymaster?.secrets, snapshotWebhookSecrets],
    [[sampleKeys.paymaster], [sampleKeys['snapshot-webhook']]],
  );
});

test('a service of the operator gets no emulator and no sample key, whichever half of it is set', () => {
  const urls = own({ LATCHKEY_CHAIN_URLS: 'opensea=https://api.opensea.io snapshot=https://hub.snapshot.org' });
  assert.deepEqual(urls.chainUrls.get('opensea'), ['https://api.opensea.io']);
  assert.deepEqual([...urls.serviceKeys.keys()].toSorted(), ['paymaster', 'tokenproof']);
  const keys = own({ LATCHKEY_SERVICE_KEYS: 'snapshot-webhook=mine tokenproof=mine paymaster=mine opensea=mine' });
  assert.deepEqual([...keys.serviceKeys.values()], [['mine'], ['mine'], ['mine'], ['mine']]);
  assert.deepEqual(
    ['snapshot', 'opensea', 'tokenproof'].filter((name) => keys.chainUrls.has(name)),
    [],
  );
  assert.deepEqual(keys.paymaster.calls, []);
  const contracts = own({ LATCHKEY_WAITING_LIST_CONTRACTS: `1=0x${'11'.repeat(20)}` });
  assert.equal(contracts.serviceKeys.has('paymaster'), false);
});

test('without the sample community none of it is configured', () => {
  const { chainUrls, serviceKeys, paymaster } = readConfig({});
  assert.deepEqual([chainUrls.size, serviceKeys.size, paymaster.calls.length], [0, 0, 0]);
});
