import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'xrpl';
import { startXrplRpcEmulator } from './index.ts';

const alice = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const issuer = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';

test('the client of the XRP Ledger reads balances, lines and tokens over its WebSocket, page by page', async (t) => {
  const emulator = await startXrplRpcEmulator();
  t.after(emulator.stop);
  const { state } = emulator;
  state.pageSize = 2;
  state.drops.set(alice, '1500001');
  state.lines.push({ account: alice, peer: issuer, currency: 'USD', balance: '12.5' });
  for (let taxon = 0; taxon < 5; taxon += 1) {
    state.nfts.push({ owner: alice, NFTokenID: String(taxon).padStart(64, '0'), Issuer: issuer, NFTokenTaxon: taxon });
  }
  const client = new Client(emulator.wsUrl);
  await client.connect();
  t.after(() => client.disconnect());

  assert.equal(client.networkID, 0);
  assert.equal(await client.getXrpBalance(alice), 1.500001);
  assert.equal(await client.getLedgerIndex(), state.validatedIndex);
  const balances = await client.getBalances(alice);
  assert.deepEqual(
    balances.find(({ currency }) => currency === 'USD'),
    { value: '12.5', currency: 'USD', issuer },
  );
  const sizes: number[] = [];
  let marker: unknown;
  do {
    const { result } = await client.request({
      command: 'account_nfts',
      account: alice,
      ledger_index: 'validated',
      marker,
    });
    sizes.push(result.account_nfts.length);
    marker = result.marker;
  } while (marker !== undefined);
  assert.deepEqual(sizes, [2, 2, 1]);
  await assert.rejects(client.request({ command: 'account_info', account: issuer }), /actNotFound/);
});
