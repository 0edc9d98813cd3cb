import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ChainFollower } from '@latchkey/core/ports';
import { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi, sampleStakingAbi } from '@latchkey/emulators/evm-chain';
import { seed, volume } from '@latchkey/test-kit';
import { type Address, getAddress } from 'viem';
import { seededRandom } from '../../vectors/mutate.ts';
import type { EvmWorld } from '../testing/evm-world.ts';
import { startFaultProxy } from '../testing/fault-proxy.ts';
import { type FollowWorld, startFollowWorld, strangers } from '../testing/follow-world.ts';
import { createEvmFollower } from './follow-chain.ts';

describe('following an EVM chain', () => {
  let world: EvmWorld;
  let followed: FollowWorld;
  let senders: readonly Address[];
  before(async () => {
    followed = await startFollowWorld();
    ({ world, senders } = followed);
  });
  after(() => followed.stop());
  const setUp: FollowWorld['setUp'] = (...options) => followed.setUp(...options);
  const transfer: FollowWorld['transfer'] = (...ends) => followed.transfer(...ends);

  it('reports which assets emit events', () => {
    const { follower } = setUp(0, { announcingStakings: new Set([`31337:${world.contracts.staking}`]) });
    const announces = (standard: string, reference: string = world.contracts.erc20, chain = world.chainName) =>
      follower.announces({ chain, standard, reference });
    assert.ok(announces('erc20') && announces('erc721') && announces('erc1155'));
    assert.ok(announces('staking', world.contracts.staking.toLowerCase()));
    assert.ok(!announces('staking') && !announces('native') && !announces('safe') && !announces('superfluid'));
    assert.ok(!announces('erc20', 'COIN') && !announces('erc20', world.contracts.erc20, 'evm:999'));
  });

  it('reports both sides of every transfer, of all three standards and of staking, once per block', async () => {
    const { diary } = setUp(0);
    await diary.start();
    const [from, to, staker] = senders as [Address, Address, Address];
    const { erc20, erc721, erc1155, staking } = world.contracts;
    await transfer(from, to);
    await world.mintKeys(strangers.slice(0, 2));
    await world.mintBadges([staker], 1n, 5n);
    const batch = [staker, to, [1n, 1n], [1n, 2n], '0x'];
    await world.send(erc1155, { abi: sampleBadgesAbi, functionName: 'safeBatchTransferFrom', args: batch }, staker);
    await world.send(erc20, { abi: sampleCoinAbi, functionName: 'approve', args: [staking, 10n] }, staker);
    await world.send(staking, { abi: sampleStakingAbi, functionName: 'stake', args: [3n] }, staker);
    await world.send(erc721, { abi: sampleKeysAbi, functionName: 'setApprovalForAll', args: [to, true] }, from);
    await diary.catchUp();
    const coin = erc20.toLowerCase();
    assert.deepEqual(
      diary.affected(),
      new Set([
        `${coin} ${from}`,
        `${coin} ${to}`,
        ...strangers.slice(0, 2).map((account) => `${erc721} ${getAddress(account)}`),
        `${erc1155} ${staker}`,
        `${erc1155} ${to}`,
        `${coin} ${staker}`,
        `${coin} ${staking}`,
        `${staking} ${staker}`,
      ]),
    );
    const newest = await world.client.getBlock();
    assert.deepEqual(diary.passed[0], { number: newest.number.toString(), hash: newest.hash });
    assert.equal(diary.passed.length, 8, 'every block passed is remembered');
  });

  it('takes two calls per new block, one while idle, and never more for more contracts', async () => {
    for (const depth of [0, 3]) {
      const { diary, requests: requested } = setUp(depth);
      await diary.start();
      await world.client.mine({ blocks: 4 });
      await diary.catchUp();
      for (let n = 0; n < 5; n += 1) {
        await transfer(senders[0], senders[1]);
        requested.length = 0;
        assert.equal(await diary.step(), 'advanced');
        assert.deepEqual(requested, ['eth_getBlockByNumber', 'eth_getLogs']);
        requested.length = 0;
        assert.equal(await diary.step(), 'waiting');
        assert.equal(await diary.step(), 'waiting');
        assert.deepEqual(requested, ['eth_getBlockByNumber', 'eth_getBlockByNumber']);
      }
    }
  });

  it('waits for the configured depth', async () => {
    const { diary } = setUp(3);
    await diary.start();
    await transfer(senders[0], strangers[10]);
    for (let blocks = 1; blocks <= 3; blocks += 1) {
      await diary.catchUp();
      assert.ok(!diary.affected().has(`${world.contracts.erc20.toLowerCase()} ${getAddress(strangers[10] ?? '')}`));
      await world.client.mine({ blocks: 1 });
    }
    await diary.catchUp();
    assert.ok(diary.affected().has(`${world.contracts.erc20.toLowerCase()} ${getAddress(strangers[10] ?? '')}`));
  });

  it('names the newest block that both chains have when blocks were replaced', async () => {
    for (const replaced of [1, 2, 6]) {
      const { diary, follower } = setUp(0);
      await diary.start();
      await transfer(senders[0], senders[1]);
      await diary.catchUp();
      const [ancestor] = diary.passed;
      const snapshot = await world.rpc('evm_snapshot', []);
      for (let n = 0; n < replaced; n += 1) await transfer(senders[0], strangers[20]);
      await diary.catchUp();
      await world.rpc('evm_revert', [snapshot]);
      for (let n = 0; n < replaced; n += 1) await transfer(senders[2], strangers[21]);
      const options = { passed: diary.passed, contracts: [world.contracts.erc20], depth: 0 };
      assert.deepEqual(await follower.next(world.chainName, options), { kind: 'reorganised', ancestor });
      await diary.catchUp();
      const lower = world.contracts.erc20.toLowerCase();
      assert.ok(!diary.affected().has(`${lower} ${getAddress(strangers[20] ?? '')}`));
      assert.ok(diary.affected().has(`${lower} ${getAddress(strangers[21] ?? '')}`));
    }
  });

  for (const depth of [0, 2]) {
    it(`random transfers and replaced blocks end in what a recount finds, at depth ${depth}`, async () => {
      const sown = seed(`reorganisations at depth ${depth}`);
      const random = seededRandom(sown);
      const { diary } = setUp(depth);
      await diary.start();
      const began = BigInt(diary.passed[0]?.number ?? 0);
      const act = async () => {
        const to = random.pick([...strangers, ...senders]);
        const deeds = [
          () => world.mintKeys([to]),
          () => world.mintBadges([to], 4n, 1n),
          () => transfer(random.pick(senders), to),
        ];
        await random.pick(deeds)();
      };
      for (let round = 0; round < volume(25, 250); round += 1) {
        if (random.below(2) === 0) {
          await act();
        } else {
          const snapshot = await world.rpc('evm_snapshot', []);
          const blocks = 1 + random.below(6);
          for (let n = 0; n < blocks; n += 1) await act();
          if (random.below(3) > 0) await diary.catchUp();
          await world.rpc('evm_revert', [snapshot]);
          for (let n = 0; n < blocks; n += 1) await act();
        }
        if (random.below(3) > 0) await diary.catchUp();
      }
      await world.client.mine({ blocks: depth });
      await diary.catchUp();
      assert.ok(diary.undone > 3, `${diary.undone} reorganisations were seen`);
      assert.deepEqual(diary.affected(), await followed.recount(began + 1n), `seed ${sown}`);
    });
  }

  it('catches up after a long absence in whole stretches, as wide as the node allows', async () => {
    const { diary, requests: requested, count } = setUp(2, { blocksPerStep: 300 });
    await diary.start();
    await world.client.mine({ blocks: 400 });
    await transfer(senders[0], strangers[30]);
    await world.client.mine({ blocks: 400 });
    requested.length = 0;
    await diary.catchUp();
    assert.ok(diary.affected().has(`${world.contracts.erc20.toLowerCase()} ${getAddress(strangers[30] ?? '')}`));
    assert.ok(count('eth_getLogs') <= 5 && count() < 160, requested.length.toString());
  });

  it('a lagging node is not a reorganization', async () => {
    const proxy = await startFaultProxy(world.url);
    try {
      const patient = { urls: [proxy.url], maxBlocksBehind: 100n };
      const { diary } = setUp(0, { chains: new Map([[String(world.chainId), patient]]) });
      await diary.start();
      for (let blocks = 0; blocks < 60; blocks += 1) await world.client.mine({ blocks: 1 });
      await diary.catchUp();
      const snapshot = diary.passed;
      proxy.misbehave(['stale']);
      assert.equal(await diary.step(), 'waiting');
      assert.deepEqual(diary.passed, snapshot);
      proxy.behave();
      await transfer(senders[0], senders[1]);
      await diary.catchUp();
      assert.equal(diary.undone, 0);
    } finally {
      await proxy.stop();
    }
  });

  it('a node that hides logs is detected by the header, and another one is used', async () => {
    const proxies = [await startFaultProxy(world.url), await startFaultProxy(world.url)];
    try {
      const chains = new Map([[String(world.chainId), { urls: proxies.map(({ url }) => url) }]]);
      for (const [at, liar] of proxies.entries()) {
        const { diary, count, requests: requested } = setUp(0, { chains });
        await diary.start();
        liar.misbehave(['zero-balances']);
        const receiver = strangers[30 + at] ?? '';
        await transfer(senders[0], strangers[30 + at]);
        await diary.catchUp();
        assert.ok(diary.affected().has(`${world.contracts.erc20.toLowerCase()} ${getAddress(receiver)}`));
        liar.behave();
        await diary.catchUp();
        requested.length = 0;
        await transfer(senders[0], senders[1]);
        assert.equal(await diary.step(), 'advanced');
        assert.equal(count('eth_getLogs'), 1, 'nothing is missing, so no other node is queried');
      }
    } finally {
      for (const proxy of proxies) await proxy.stop();
    }
  });

  it('a node that fails, or a chain with none of the seen blocks, is unknown without naming a URL', async () => {
    const proxy = await startFaultProxy(world.url);
    try {
      const chains = new Map([[String(world.chainId), { urls: [proxy.url] }]]);
      const { diary, follower } = setUp(0, { chains });
      const hasty = setUp(0, { chains, timeoutMs: 100 }).follower;
      await diary.start();
      const ask = (passed = diary.passed, request = follower) =>
        request.next(world.chainName, { passed, contracts: [], depth: 0 });
      for (const fault of ['fail', 'hang', 'garble', 'refuse', 'drop'] as const) {
        proxy.misbehave([fault]);
        const step = await ask(diary.passed, fault === 'hang' ? hasty : follower);
        assert.equal(step.kind, 'unknown', fault);
        assert.doesNotMatch(JSON.stringify(step), /127\.0\.0\.1|secret/);
        assert.equal(await createEvmFollowerOf(proxy.url).start(world.chainName, 0), undefined);
      }
      proxy.behave();
      const elsewhere = { number: diary.passed[0]?.number ?? '', hash: `0x${'7'.repeat(64)}` };
      const lost = await setUp(0).follower.next(world.chainName, { passed: [elsewhere], contracts: [], depth: 0 });
      assert.equal(lost.kind, 'lost');
      assert.equal((await ask([])).kind, 'unknown');
      assert.equal((await follower.next('evm:999', { passed: [], contracts: [], depth: 0 })).kind, 'unknown');
    } finally {
      await proxy.stop();
    }
  });

  function createEvmFollowerOf(url: string): ChainFollower {
    const chains = new Map([[String(world.chainId), { urls: [url] }]]);
    return createEvmFollower({ fetch, chains, clock: () => new Date(), timeoutMs: 100 });
  }
});
