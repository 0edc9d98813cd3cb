import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getAddress } from 'viem';
import { someAddresses } from '../testing/evm-world.ts';
import { startFaultProxy } from '../testing/fault-proxy.ts';
import type { Diary } from '../testing/follow-world.ts';
import { type FollowWorld, startFollowWorld, strangers } from '../testing/follow-world.ts';

describe('following more contracts than fit into one request', () => {
  let followed: FollowWorld;
  let world: FollowWorld['world'];
  let senders: FollowWorld['senders'];
  before(async () => {
    followed = await startFollowWorld();
    ({ world, senders } = followed);
  });
  after(() => followed.stop());
  const many = someAddresses(2_500, 10_000);
  const holds = (diary: Diary, account = '') =>
    diary.affected().has(`${world.contracts.erc20.toLowerCase()} ${getAddress(account)}`);

  it('takes one request for each new block, or for a few of them', async () => {
    const { diary, requests: requested, count } = followed.setUp(0, {}, many);
    await diary.start();
    const began = BigInt(diary.passed[0]?.number ?? 0);
    await followed.transfer(senders[0], strangers[40]);
    requested.length = 0;
    assert.equal(await diary.step(), 'advanced');
    assert.deepEqual(requested, ['eth_getBlockByNumber', 'eth_getLogs']);
    for (let n = 0; n < 20; n += 1) await followed.transfer(senders[1], strangers[n]);
    await world.mintKeys(strangers.slice(0, 2));
    requested.length = 0;
    await diary.catchUp();
    assert.equal(count('eth_getLogs'), 2);
    assert.deepEqual(diary.affected(), await followed.recount(began + 1n));
  });

  it('filters by address where the node refuses to return all contracts at once', async () => {
    const proxy = await startFaultProxy(world.url);
    try {
      const chains = new Map([[String(world.chainId), { urls: [proxy.url] }]]);
      const { diary, count } = followed.setUp(0, { chains }, many);
      await diary.start();
      proxy.misbehave(['refuse-all-contracts']);
      await followed.transfer(senders[0], strangers[41]);
      await followed.transfer(senders[0], strangers[42]);
      await diary.catchUp();
      assert.ok(holds(diary, strangers[41]) && holds(diary, strangers[42]));
      assert.equal(count('eth_getLogs'), 1 + 2 * (1 + 3), 'both blocks at once, then each by itself');
    } finally {
      await proxy.stop();
    }
  });

  it('still detects a node that hides logs', async () => {
    const proxies = [await startFaultProxy(world.url), await startFaultProxy(world.url)];
    try {
      const chains = new Map([[String(world.chainId), { urls: proxies.map(({ url }) => url) }]]);
      for (const [at, liar] of proxies.entries()) {
        const { diary } = followed.setUp(0, { chains }, many);
        await diary.start();
        liar.misbehave(['zero-balances']);
        await followed.transfer(senders[0], strangers[43 + at]);
        await diary.catchUp();
        assert.ok(holds(diary, strangers[43 + at]));
        liar.behave();
      }
    } finally {
      for (const proxy of proxies) await proxy.stop();
    }
  });

  it('continues by address where the node fails to return all contracts at once, and tries that again', async () => {
    const proxy = await startFaultProxy(world.url);
    try {
      const chains = new Map([[String(world.chainId), { urls: [proxy.url] }]]);
      const { diary, requests: requested } = followed.setUp(0, { chains }, many);
      await diary.start();
      proxy.misbehave(['fail-all-contracts']);
      await followed.transfer(senders[0], strangers[46]);
      assert.equal(await diary.step(), 'unknown');
      assert.equal(await diary.step(), 'advanced');
      assert.ok(holds(diary, strangers[46]));
      proxy.behave();
      await followed.transfer(senders[0], strangers[47]);
      requested.length = 0;
      assert.equal(await diary.step(), 'advanced');
      assert.deepEqual(requested, ['eth_getBlockByNumber', 'eth_getLogs']);
    } finally {
      await proxy.stop();
    }
  });
});
