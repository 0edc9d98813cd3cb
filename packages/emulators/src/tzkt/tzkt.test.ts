import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as tzkt from '@tzkt/sdk-api';
import { startTzktEmulator } from './index.ts';

const alice = 'tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb';
const bob = 'tz1aSkwEot3L2kmUvcoxzjMomb9mvBNuzFK6';
const contract = 'KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn';

test('the client of TzKT reads heads, balances with filters and pages, and the past', async (t) => {
  const emulator = await startTzktEmulator();
  t.after(emulator.stop);
  const { state } = emulator;
  const opts = { baseUrl: emulator.url };
  for (const [account, tokenId] of [
    [alice, '1'],
    [alice, '2'],
    [bob, '3'],
  ] as const) {
    state.balances.push({ account, contract, standard: 'fa2', tokenId, balance: '1', metadata: { name: tokenId } });
  }
  state.past.set(10, { mutez: new Map([[alice, 7]]), balances: [] });
  state.mutez.set(alice, 9);

  assert.equal((await tzkt.headGet(opts)).level, state.level);
  const held = await tzkt.tokensGetTokenBalances({ account: { eq: alice }, tokenContract: { eq: contract } }, opts);
  assert.deepEqual(
    held.map((row) => row.token?.tokenId),
    ['1', '2'],
  );
  const page = await tzkt.tokensGetTokenBalances(
    { account: { in: [`${alice},${bob}`] }, limit: 1, offset: { el: 2 } },
    opts,
  );
  assert.deepEqual(
    page.map((row) => row.account?.address),
    [bob],
  );
  assert.deepEqual(await tzkt.tokensGetTokenBalances2(10, { account: { eq: alice } }, opts), []);
  assert.equal(await tzkt.accountsGetBalanceAtLevel(alice, 10, opts), 7);
  assert.equal(await tzkt.accountsGetBalanceAtLevel(alice, 11, opts), 9);
  await assert.rejects(tzkt.tokensGetTokenBalances({ account: { eq: 'nobody' } }, opts), { status: 400 });
});
