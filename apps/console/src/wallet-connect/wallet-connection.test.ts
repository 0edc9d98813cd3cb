import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Client, openSignClient } from '@latchkey/emulators/testing/sign-client';
import { startWalletConnectRelay, type WalletConnectRelay } from '@latchkey/emulators/walletconnect-relay';
import { loadMessages } from '../messages/index.ts';
import { namespacesFor, readAccounts } from './accounts.ts';
import { WalletConnection } from './link-wallet.ts';

await loadMessages('en');

const address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F';
const asker = { name: 'Cats', description: 'Link a wallet', url: 'https://cats.example' };
const noRest = async () => undefined;
const options = namespacesFor(['evm', 'solana'], [1, 137]);
const eip155 = { accounts: [`eip155:1:${address}`], methods: ['personal_sign'], events: [] };

interface World {
  relay: WalletConnectRelay;
  wallet: Client;
  connection: WalletConnection;
}

/** A page and WalletConnect's own wallet client, with a relay between them. */
async function meet(t: TestContext): Promise<World> {
  const relay = await startWalletConnectRelay();
  const wallet = await openSignClient(relay.url, 'Test Wallet');
  const connection = new WalletConnection(addressOf(relay), noRest);
  t.after(async () => {
    await connection.end();
    await wallet[Symbol.asyncDispose]();
    await relay.stop();
  });
  return { relay, wallet, connection };
}

const addressOf = ({ url }: WalletConnectRelay, projectId = 'test-project') => ({ relayUrl: url, projectId });

async function pair({ wallet, connection }: World) {
  const pairing = await connection.propose(options, asker);
  await wallet.pair({ uri: pairing.uri });
  return pairing.session;
}

/** Waits for the wallet's next request, and answers it. */
function onRequest({ wallet }: World, answer: { result: unknown } | { error: { code: number; message: string } }) {
  return new Promise<{ method: string; params: unknown; chainId: string }>((resolve) => {
    wallet.once('session_request', ({ id, topic, params: { request, chainId } }) => {
      resolve({ method: request.method, params: request.params, chainId });
      // The page may end the session before the relay has confirmed the response.
      wallet.respond({ topic, response: { id, jsonrpc: '2.0', ...answer } }).catch(() => undefined);
    });
  });
}

test('a wallet approves, signs, and is notified of the end', async (t) => {
  const world = await meet(t);
  const { wallet, relay, connection } = world;
  wallet.once('session_proposal', ({ id, params: { proposer, optionalNamespaces } }) => {
    assert.equal(proposer.metadata.name, 'Cats');
    assert.deepEqual(optionalNamespaces.eip155?.chains, ['eip155:1', 'eip155:137']);
    assert.deepEqual(optionalNamespaces.eip155?.methods, ['personal_sign']);
    void wallet.approve({ id, namespaces: { eip155 } });
  });
  const { walletName, shared, request } = await pair(world);
  assert.equal(walletName, 'Test Wallet');
  assert.deepEqual(readAccounts(shared, ['evm']), [
    { namespace: 'evm', chain: 'eip155:1', address, accountId: `evm:1:${address}` },
  ]);
  const requested = onRequest(world, { result: '0x51' });
  assert.equal(await request('eip155:1', 'personal_sign', ['0x00', address]), '0x51');
  assert.deepEqual(await requested, { method: 'personal_sign', params: ['0x00', address], chainId: 'eip155:1' });
  const parted = new Promise((resolve) => wallet.once('session_delete', resolve));
  await connection.end();
  await parted;
  assert.ok(relay.tags().includes(1112));
});

test('a lost connection is reopened, and nothing is lost', async (t) => {
  const world = await meet(t);
  const { wallet, relay, connection } = world;
  const pairing = await connection.propose(options, asker);
  relay.cut();
  wallet.once('session_proposal', ({ id }) => void wallet.approve({ id, namespaces: { eip155 } }));
  await wallet.pair({ uri: pairing.uri });
  const { request } = await pairing.session;
  relay.rebalance();
  const requested = onRequest(world, { result: '0x51' });
  const signed = request('eip155:1', 'personal_sign', ['0x00', address]);
  await requested;
  connection.wake();
  assert.equal(await signed, '0x51');
});

test('the wallet’s refusals have a message', async (t) => {
  const world = await meet(t);
  const { wallet } = world;
  for (const [code, message, words] of [
    [5000, 'User rejected.', /You declined in your wallet/],
    [5100, 'Unsupported chains.', /shared no account on a chain that can be linked/],
    [5101, 'Unsupported methods.', /cannot sign messages over WalletConnect/],
    [7, 'Out of ink', /Your wallet says: Out of ink/],
  ] as const) {
    wallet.once('session_proposal', ({ id }) => void wallet.reject({ id, reason: { code, message } }));
    await assert.rejects(pair(world), words);
  }
  wallet.once('session_proposal', ({ id }) => void wallet.approve({ id, namespaces: { eip155 } }));
  const { request } = await pair(world);
  for (const [code, words] of [
    [4001, /You declined in your wallet/],
    [-32601, /cannot sign messages over WalletConnect/],
  ] as const) {
    const requested = onRequest(world, { error: { code, message: 'No.' } });
    await assert.rejects(request('eip155:1', 'personal_sign', ['0x00', address]), words);
    await requested;
  }
});

test('a wallet that ends the connection is not waited for', async (t) => {
  const world = await meet(t);
  const { wallet } = world;
  wallet.once('session_proposal', ({ id }) => void wallet.approve({ id, namespaces: { eip155 } }));
  const { request } = await pair(world);
  const parted = new Promise<void>((resolve) => {
    wallet.once('session_request', ({ topic }) =>
      resolve(wallet.disconnect({ topic, reason: { code: 6000, message: 'Bye.' } })),
    );
  });
  await assert.rejects(request('eip155:1', 'personal_sign', ['0x00', address]), /ended the connection/);
  await parted;
});

test('a pairing without a response expires', async (t) => {
  const { connection } = await meet(t);
  const proposed = connection.propose(options, asker, 0);
  await assert.rejects(
    proposed.then(({ session }) => session),
    /The QR code has expired/,
  );
});

test('a relay that cannot be reached, or refuses the site, is reported', async (t) => {
  const { relay } = await meet(t);
  const stranger = new WalletConnection(addressOf(relay, 'stranger'), noRest);
  await assert.rejects(stranger.propose(options, asker), /relay refused this site. It says: Unauthorized: invalid key/);
  const gone = await startWalletConnectRelay();
  await gone.stop();
  const alone = new WalletConnection(addressOf(gone), noRest);
  await assert.rejects(alone.propose(options, asker), /relay could not be reached/);
  for (const connection of [stranger, alone]) await connection.end();
});

test('of the accounts that a wallet shares, those that can sign text count, each address once', () => {
  const solana = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  const mainnet = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  const shared = {
    eip155: { ...eip155, accounts: [`eip155:137:${address}`, `eip155:1:${address.toLowerCase()}`, 'eip155:1:0xno', 7] },
    solana: { accounts: [`${mainnet}:${solana}`, `solana:other:${solana}`], methods: ['solana_signMessage'] },
    cosmos: { accounts: ['cosmos:1:abc'], methods: ['personal_sign'] },
  };
  assert.deepEqual(
    readAccounts(shared, ['evm', 'solana']).map(({ accountId }) => accountId),
    [`evm:137:${address}`, `solana:mainnet:${solana}`],
  );
  assert.deepEqual(
    readAccounts(shared, ['solana']).map(({ chain }) => chain),
    [mainnet],
  );
  for (const nothing of [undefined, null, 'x', {}, { eip155: {} }, { cosmos: shared.cosmos }])
    assert.throws(() => readAccounts(nothing, ['evm']), /shared no account/);
  const mute = { eip155: { ...eip155, methods: ['eth_sendTransaction'] } };
  assert.throws(() => readAccounts(mute, ['evm']), /cannot sign messages/);
});
