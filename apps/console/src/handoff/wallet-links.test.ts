import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairingAppsFor, walletAppsFor } from './wallet-links.ts';

const page = new URL('https://latchkey.example/handoff/AbC123');
const linkOf = (name: string) =>
  walletAppsFor(['evm', 'solana', 'bitcoin'])
    .find((app) => app.name === name)
    ?.link(page, ['evm', 'solana', 'bitcoin']);

test('each app gets the page in the form that its maker publishes', () => {
  const encoded = 'https%3A%2F%2Flatchkey.example%2Fhandoff%2FAbC123';
  assert.equal(linkOf('MetaMask'), 'https://link.metamask.io/dapp/latchkey.example/handoff/AbC123');
  assert.equal(linkOf('Coinbase Wallet'), `https://go.cb-w.com/dapp?cb_url=${encoded}`);
  assert.equal(linkOf('Rainbow'), `https://rnbwapp.com/dapp?url=${encoded}`);
  assert.equal(linkOf('Trust Wallet'), `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}`);
  assert.equal(linkOf('Phantom'), `https://phantom.app/ul/browse/${encoded}?ref=https%3A%2F%2Flatchkey.example`);
  assert.equal(linkOf('Solflare'), `https://solflare.com/ul/v1/browse/${encoded}?ref=https%3A%2F%2Flatchkey.example`);
  assert.equal(linkOf('Xverse'), `https://connect.xverse.app/browser?url=${encoded}`);
  const okx = new URL(linkOf('OKX Wallet') ?? '');
  assert.equal(okx.searchParams.get('deeplink'), `okx://wallet/dapp/url?dappUrl=${encoded}`);
});

test('only apps are offered whose wallets can prove something here, each by https', () => {
  assert.deepEqual(
    walletAppsFor(['solana']).map(({ name }) => name),
    ['Trust Wallet', 'Phantom', 'Solflare'],
  );
  assert.deepEqual(
    walletAppsFor(['solana'], ['app.phantom', 'com.trustwallet.app']).map(({ name }) => name),
    ['Solflare'],
  );
  assert.deepEqual(
    walletAppsFor(['bitcoin']).map(({ name }) => name),
    ['Xverse'],
  );
  assert.deepEqual(walletAppsFor(['tezos']), []);
  const every = ['evm', 'solana', 'bitcoin'];
  assert.equal(walletAppsFor(every).length, 8);
  for (const { link } of walletAppsFor(every)) assert.equal(new URL(link(page, every)).protocol, 'https:');
});

test('Trust Wallet begins with Solana where nothing else can be proven', () => {
  const [trust] = walletAppsFor(['solana']);
  assert.match(trust?.link(page, ['solana']) ?? '', /coin_id=501&/);
});

test('a pairing by WalletConnect gets a link by https for each app that publishes one', () => {
  const links = pairingAppsFor(['evm']).map(({ name, pair }) => [name, pair('wc:1@2?relay-protocol=irn&symKey=ab')]);
  const uri = 'wc%3A1%402%3Frelay-protocol%3Dirn%26symKey%3Dab';
  assert.deepEqual(links, [
    ['MetaMask', `https://link.metamask.io/wc?uri=${uri}`],
    ['Rainbow', `https://rnbwapp.com/wc?uri=${uri}`],
    ['Trust Wallet', `https://link.trustwallet.com/wc?uri=${uri}`],
  ]);
  assert.deepEqual(pairingAppsFor(['bitcoin']), []);
});
