import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase, tenantUrlOf } from '@latchkey/db';
import { addMembers, newCommunity } from '../../communities/community/testing.ts';
import { contextFor } from '../../shared/context.ts';
import { alice, mallory, memoryLog, nobody, patienceMs, testSignature } from '../../testing/index.ts';
import { connectWallet } from './connect-wallet.ts';
import {
  connectMarketplaceWallet,
  disconnectWallet,
  generateMagicCode,
  resetWallets,
  resumeWalletConnection,
} from './operations.ts';
import { openWalletPeople, type WalletPeople, wallet } from './testing.ts';

describe('connecting a wallet in steps', () => {
  let people: WalletPeople;
  let t: WalletPeople['t'];
  let communityId: string;
  let later: Database;
  before(async () => {
    people = await openWalletPeople('restart');
    t = people.t;
    communityId = (await newCommunity(t)).id;
    await addMembers(t, communityId, [{ userId: 'DIS#USER#100' }, { userId: 'DIS#USER#666' }]);
    const url = t.services.db.pool.options.connectionString ?? '';
    later = openDatabase({
      url,
      tenantUrl: tenantUrlOf(url),
      log: memoryLog(),
      maxConnections: 4,
      connectTimeoutMs: patienceMs,
    });
  });
  after(async () => {
    await later.close();
    await t.close();
  });

  /** Another process, which shares only the database. */
  const restarted = () => contextFor({ ...t.services, db: later }, nobody);
  const affected = async () => {
    const rows = await t.services.db.system.selectFrom('reconcile_queue').select(['user_id', 'cause']).execute();
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    return rows.map(({ user_id, cause }) => `${user_id} ${cause}`).toSorted();
  };

  it('continues in another process: from a message to its signature', async () => {
    const address = wallet(1);
    const request = await people.put(alice, { address });
    const shown = await resumeWalletConnection(restarted(), { body: { state: request.state ?? '' } });
    assert.deepEqual([shown.message, shown.address], [request.message, address]);
    const body = {
      id: await people.tokenOf(alice),
      state: request.state ?? '',
      signature: testSignature(address, request.message ?? ''),
    };
    const answer = await connectWallet(restarted(), { body });
    assert.equal('code' in answer && answer.code, 'CONNECTED');
  });

  it('continues in another process: from a choice of proxies to the chosen one', async () => {
    const [owner, proxy] = [wallet(2), wallet(3)];
    const call = { chain: 'evm:1', standard: 'call', account: owner };
    t.holdings.set({ ...call, reference: '0x4678f0a6958e4D2Bc4F1BAF7Bc52E8F3564f3fE4' }, '3');
    t.holdings.set({ ...call, reference: proxy }, '2');
    const offered = await people.connect(alice, { address: owner, proxyType: 'dsproxy' });
    assert.equal(offered.code, 'PROXY_REQUIRED');
    const body = { state: offered.state ?? '', proxyAddress: proxy };
    assert.equal((await resumeWalletConnection(restarted(), { body })).code, 'CONNECTED');
    assert.ok(await people.holds(alice, proxy));
  });

  it('continues in another process: from a taken wallet to its move, by a token or a code', async () => {
    const [signed, shown] = [wallet(4), wallet(5)];
    for (const address of [signed, shown]) await people.connect(mallory, { address });
    const taken = await people.connect(alice, { address: signed });
    const named = { marketplace: 'opensea', account: shown };
    const code = await generateMagicCode(t.as(nobody), { body: { ...named, id: await people.tokenOf(alice) } });
    people.profile = { kind: 'read', text: code.magicCode ?? '' };
    const byCode = await connectMarketplaceWallet(restarted(), { body: { ...named, magicCode: code.magicCode ?? '' } });
    for (const { code: came, resetToken = '' } of [taken, byCode]) {
      assert.equal(came, 'WALLET_TAKEN');
      assert.equal((await resetWallets(restarted(), { resetToken })).movedFrom, 1);
    }
    for (const address of [signed, shown])
      assert.deepEqual([await people.holds(alice, address), await people.holds(mallory, address)], [true, false]);
  });

  it('re-checks the member’s roles when a wallet is connected, moved and disconnected, and only then', async () => {
    await affected();
    const address = wallet(6);
    await people.connect(alice, { address, verifyOnly: true });
    assert.deepEqual(await affected(), []);
    await people.connect(mallory, { address });
    assert.deepEqual(await affected(), ['DIS#USER#666 wallet']);
    const { resetToken = '' } = await people.connect(alice, { address });
    assert.deepEqual(await affected(), []);
    await resetWallets(t.as(nobody), { resetToken });
    assert.deepEqual(await affected(), ['DIS#USER#100 wallet', 'DIS#USER#666 wallet']);
    await disconnectWallet(t.as(nobody), { walletSk: address, id: await people.tokenOf(alice) });
    assert.deepEqual(await affected(), ['DIS#USER#100 wallet']);
  });
});
