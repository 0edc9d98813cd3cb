import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { startWalletConnectRelay } from './index.ts';
import { openSignClient } from './testing.ts';

const account = 'eip155:1:0x71C7656EC7ab88b098defB751B7401B5f6d8976F';
const methods = ['personal_sign'];

test('two official clients pair, agree on a session, sign and disconnect', async (t) => {
  const relay = await startWalletConnectRelay();
  t.after(relay.stop);
  await using page = await openSignClient(relay.url, 'Page');
  await using wallet = await openSignClient(relay.url, 'Wallet');
  wallet.on('session_proposal', ({ id }) => {
    void wallet.approve({ id, namespaces: { eip155: { accounts: [account], methods, events: [] } } });
  });
  wallet.on('session_request', ({ id, topic, params }) => {
    assert.equal(params.request.method, 'personal_sign');
    void wallet.respond({ topic, response: { id, jsonrpc: '2.0', result: '0x51' } });
  });
  const parted = new Promise((resolve) => wallet.on('session_delete', resolve));

  const optionalNamespaces = { eip155: { chains: ['eip155:1'], methods, events: [] } };
  const { uri = '', approval } = await page.connect({ optionalNamespaces });
  await wallet.pair({ uri });
  const { topic, namespaces } = await approval();
  assert.deepEqual(namespaces.eip155?.accounts, [account]);
  const request = { method: 'personal_sign', params: ['0x00', account] };
  assert.equal(await page.request({ topic, chainId: 'eip155:1', request }), '0x51');
  await page.disconnect({ topic, reason: { code: 6000, message: 'Done.' } });
  await parted;
  assert.deepEqual(
    [1100, 1101, 1102, 1108, 1109, 1112].filter((tag) => !relay.tags().includes(tag)),
    [],
  );
});

test('the end of a session that is over is dropped by an official client', async (t) => {
  const relay = await startWalletConnectRelay();
  t.after(relay.stop);
  await using page = await openSignClient(relay.url, 'Page');
  await using wallet = await openSignClient(relay.url, 'Wallet');
  wallet.on('session_proposal', ({ id }) => {
    void wallet.approve({ id, namespaces: { eip155: { accounts: [account], methods, events: [] } } });
  });
  const optionalNamespaces = { eip155: { chains: ['eip155:1'], methods, events: [] } };
  const { uri = '', approval } = await page.connect({ optionalNamespaces });
  await wallet.pair({ uri });
  const { topic } = await approval();
  let ends = 0;
  wallet.on('session_delete', () => {
    ends += 1;
  });
  const parted = new Promise((resolve) => wallet.once('session_delete', resolve));
  await page.disconnect({ topic, reason: { code: 6000, message: 'Done.' } });
  await parted;
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  t.after(() => process.off('unhandledRejection', onRejection));
  // What the relay delivers again, as the library hands it on after it was opened.
  const again = { id: 1, jsonrpc: '2.0', method: 'wc_sessionDelete', params: { code: 6000, message: 'Done.' } };
  const engine = wallet.engine as unknown as { onSessionDeleteRequest(topic: string, payload: object): Promise<void> };
  await engine.onSessionDeleteRequest(topic, again);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([ends, rejections], [1, []]);
});

test('published messages wait for a disconnected client', async (t) => {
  const relay = await startWalletConnectRelay();
  t.after(relay.stop);
  await using page = await openSignClient(relay.url, 'Page');
  const { uri = '', approval } = await page.connect({
    optionalNamespaces: { eip155: { chains: ['eip155:1'], methods, events: [] } },
  });
  relay.cut();
  await using wallet = await openSignClient(relay.url, 'Wallet');
  wallet.on('session_proposal', ({ id }) => {
    void wallet.approve({ id, namespaces: { eip155: { accounts: [account], methods, events: [] } } });
  });
  await wallet.pair({ uri });
  assert.equal((await approval()).peer.metadata.name, 'Wallet');
});

test('a client without its own token, or of an unknown project, is refused', async (t) => {
  const relay = await startWalletConnectRelay();
  t.after(relay.stop);
  for (const [query, reason] of [
    ['projectId=test-project&auth=a.b.c', 'Unauthorized: invalid auth token'],
    ['projectId=nobody', 'Unauthorized: invalid key'],
  ]) {
    const [code, reply] = await once(new WebSocket(`${relay.url}/?${query}`), 'close');
    assert.deepEqual([code, String(reply)], [3000, reason]);
  }
});
