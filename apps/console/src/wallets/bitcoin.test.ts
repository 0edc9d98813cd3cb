import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadMessages } from '../messages/index.ts';
import { findBitcoinWallets } from './bitcoin.ts';

await loadMessages('en');

const taproot = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr';
const listed = {
  id: 'XverseProviders.BitcoinProvider',
  name: 'Xverse',
  icon: 'data:image/svg+xml,x',
  methods: ['getAccounts', 'signMessage', 'signPsbt'],
};

/** A browser whose wallet responds as scripted. */
function browserWith(answer: (method: string, params: object) => unknown, entry: object = listed) {
  const requests: [string, object][] = [];
  const request = async (method: string, params: object) => {
    requests.push([method, params]);
    return answer(method, params);
  };
  return { requests, btc_providers: [entry], XverseProviders: { BitcoinProvider: { request } } };
}

const answers: Readonly<Record<string, unknown>> = {
  getAccounts: { jsonrpc: '2.0', result: [{ address: taproot, purpose: 'ordinals', publicKey: '00' }] },
  signMessage: { jsonrpc: '2.0', result: { signature: 'AUA=', address: taproot } },
};

test('a Bitcoin wallet is asked for one address and a BIP-322 signature of a text', async () => {
  const browser = browserWith((method) => answers[method]);
  const [ordinals, payment] = findBitcoinWallets(browser);
  assert.deepEqual([ordinals?.name, payment?.name], ['Xverse (Ordinals address)', 'Xverse (payment address)']);
  const account = await ordinals?.open();
  assert.deepEqual([account?.accountId, account?.address], [`bitcoin:mainnet:${taproot}`, taproot]);
  assert.equal(await account?.sign('a text'), 'AUA=');
  assert.deepEqual(browser.requests, [
    ['getAccounts', { purposes: ['ordinals'] }],
    ['signMessage', { address: taproot, message: 'a text', protocol: 'BIP322' }],
  ]);
  await assert.rejects(async () => payment?.open(), /shared no account/, 'it has no such address');
});

test('a wallet’s refusal is thrown, and so is a response without a signature', async () => {
  const refused = { code: -32000, message: 'User rejected request to sign' };
  const declines = browserWith((method) => (method === 'getAccounts' ? answers[method] : { error: refused }));
  const account = await findBitcoinWallets(declines)[0]?.open();
  await assert.rejects(async () => account?.sign('a text'), refused);
  for (const odd of [undefined, null, 'x', {}, { result: {} }, { result: { signature: 7 } }]) {
    const browser = browserWith((method) => (method === 'getAccounts' ? answers[method] : odd));
    const opened = await findBitcoinWallets(browser)[0]?.open();
    await assert.rejects(async () => opened?.sign('a text'), /returned no signature/);
  }
});

test('other entries in the browser’s list are ignored', () => {
  for (const entry of [
    {},
    { ...listed, methods: ['getAddresses'] },
    { ...listed, methods: undefined },
    { ...listed, id: 'Nothing.Here' },
    { ...listed, id: 7 },
    { ...listed, name: { toString: 'evil' } },
  ])
    assert.deepEqual(findBitcoinWallets(browserWith(() => undefined, entry)), []);
  assert.deepEqual(findBitcoinWallets({}), []);
  assert.deepEqual(findBitcoinWallets({ btc_providers: 'x' }), []);
});
