import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '@latchkey/test-kit';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { chain, erc20Rule, type Guild, setUpGuild, startTestWorker, token } from '../role-changes/testing/index.ts';
import { type MemoryChain, memoryChain } from '../role-changes/testing/memory-chain.ts';
import { followChains, followStep } from './follow.ts';
import { indexAllRules, WatchList } from './watched-assets.ts';

describe('following chains', () => {
  let t: TestPlatform;
  let node: MemoryChain;
  let guild: Guild;
  const members = 20;

  before(async () => {
    t = await testPlatform('following');
    node = memoryChain(chain);
    t.services.holdings = node.holdings;
    t.services.follower = node.follower;
    t.services.settings.gating = { followDepth: 1, followPauseMs: 5 };
    guild = await setUpGuild(t, { members });
    node.mine(Array.from({ length: members }, (_, member) => change(member, '1')));
    node.mine();
    await step();
    await guild.resync();
  });
  after(() => t.close());

  function change(member: number, amount: string) {
    return { contract: token, account: guild.walletOf(member), amount };
  }

  async function step(): Promise<void> {
    await indexAllRules(t.services);
    while ((await followStep(t.services, chain, [token])) === 'moved');
  }

  async function queued(): Promise<string[]> {
    const rows = await t.services.db.system
      .selectFrom('reconcile_queue')
      .select('user_id')
      .orderBy('user_id')
      .execute();
    return rows.map((row) => row.user_id);
  }

  async function act(): Promise<void> {
    await guild.check();
    await guild.write();
  }

  it('reloads the contracts that rules name only after a rule or the status of a community changed', async () => {
    const { system } = t.services.db;
    const list = new WatchList(t.services);
    const named = async () => (await list.refresh())?.get(chain);
    assert.deepEqual(await named(), [token]);
    assert.equal(await named(), undefined);
    const setStatus = (status: 'active' | 'paused') =>
      system.updateTable('communities').set({ status }).where('id', '=', guild.id).execute();
    await setStatus('paused');
    assert.deepEqual(await named(), []);
    await setStatus('active');
    assert.deepEqual(await named(), [token]);
    const rules = await system.selectFrom('community_rules').selectAll().execute();
    await system.deleteFrom('community_rules').execute();
    assert.deepEqual(await named(), []);
    await system.insertInto('community_rules').values(rules).execute();
    assert.deepEqual(await named(), [token]);
    assert.equal(await named(), undefined);
  });

  it('keeps following a contract that another community names, and drops one of a deleted community within an hour', async () => {
    const { system } = t.services.db;
    const list = new WatchList(t.services);
    assert.deepEqual((await list.refresh())?.get(chain), [token]);
    const same = await setUpGuild(t, { members: 1 });
    assert.equal(await list.refresh(), undefined, 'the same contract in another community changes nothing');
    const elsewhere = '0x0000000000000000000000000000000000000e15';
    const other = await setUpGuild(t, { members: 1, rules: [erc20Rule('gold', '1', elsewhere), erc20Rule('silver')] });
    assert.deepEqual((await list.refresh())?.get(chain), [token, elsewhere]);
    await system.updateTable('communities').set({ status: 'paused' }).where('id', '=', same.id).execute();
    assert.equal(await list.refresh(), undefined, 'another community still names it');
    await system.deleteFrom('communities').where('id', '=', other.id).execute();
    t.advanceSeconds(60 * 60);
    assert.deepEqual((await list.refresh())?.get(chain), [token]);
    await system.deleteFrom('communities').where('id', '=', same.id).execute();
  });

  it('a transfer queues only the two affected members, once its block is deep enough', async () => {
    node.mine([change(0, '0'), change(1, '2')]);
    await step();
    assert.deepEqual(await queued(), [], 'not at the head of the chain');
    node.mine();
    await step();
    assert.deepEqual(await queued(), [guild.idOf(0), guild.idOf(1)]);
    await act();
    assert.deepEqual([guild.rolesOf(0), guild.rolesOf(1)], [[], ['gold']]);
  });

  it('a resync reads only what changed since the last one', async () => {
    await guild.resync();
    const before = node.holdings.questions;
    await guild.resync();
    assert.equal(node.holdings.questions - before, 0);
    node.mine([change(5, '3')]);
    node.mine();
    await step();
    await guild.resync();
    assert.equal(node.holdings.questions - before, 1);
  });

  it('reads everything again once a day, and whenever the chain is not followed to its head', async () => {
    await guild.resync();
    const before = node.holdings.questions;
    t.advanceSeconds(61);
    await guild.resync();
    assert.equal(node.holdings.questions - before, members);
    await step();
    await guild.resync();
    assert.equal(node.holdings.questions - before, members, 'what was read in the meantime counts again');
    t.advanceSeconds(24 * 60 * 60);
    await step();
    await guild.resync();
    assert.equal(node.holdings.questions - before, 2 * members);
  });

  it('re-reads results from a block that was orphaned during the read', async () => {
    node.mine([change(9, '0')]);
    node.mine();
    await step();
    await guild.resync();
    assert.deepEqual(guild.rolesOf(9), []);
    node.mine([change(9, '1')]);
    const { read } = node.holdings;
    let isFirst = true;
    node.holdings.read = async (questions) => {
      const answers = await read(questions);
      if (!isFirst) return answers;
      isFirst = false;
      // The block is orphaned, and its successors are followed before the response arrives.
      node.cut(1);
      for (let block = 0; block < 3; block += 1) node.mine();
      await step();
      return answers;
    };
    try {
      t.advanceSeconds(24 * 60 * 60);
      await step();
      await guild.resync();
    } finally {
      node.holdings.read = read;
    }
    assert.equal(isFirst, false);
    assert.deepEqual(guild.rolesOf(9), []);
    const before = node.holdings.questions;
    await guild.resync();
    assert.deepEqual(guild.rolesOf(9), [], 'nor is the result stored');
    assert.equal(node.holdings.questions, before);
    node.mine([change(9, '1')]);
    node.mine();
    await step();
    await guild.resync();
  });

  it('removes no role while a chain is reorganized at every read', async () => {
    await guild.resync();
    const { read } = node.holdings;
    node.holdings.read = async (questions) => {
      node.mine(questions.map(({ account }) => ({ contract: token, account, amount: '0' })));
      const answers = await read(questions);
      node.cut(1);
      for (let block = 0; block < 3; block += 1) node.mine();
      await step();
      return answers;
    };
    const held = Array.from({ length: members }, (_, member) => guild.rolesOf(member));
    try {
      t.advanceSeconds(24 * 60 * 60);
      await step();
      await guild.resync();
    } finally {
      node.holdings.read = read;
    }
    assert.ok(held.some((roles) => roles?.length === 1));
    assert.deepEqual(
      Array.from({ length: members }, (_, member) => guild.rolesOf(member)),
      held,
    );
    await guild.resync();
    assert.deepEqual(await queued(), []);
  });

  it('re-checks members whose blocks were orphaned', async () => {
    node.mine([change(7, '0')]);
    node.mine();
    await step();
    await act();
    assert.deepEqual(guild.rolesOf(7), []);
    node.cut(3);
    node.mine();
    node.mine();
    node.mine();
    await step();
    assert.ok((await queued()).includes(guild.idOf(7)));
    await act();
    assert.deepEqual(guild.rolesOf(7), ['gold']);
  });

  it('discards results from a block that was orphaned before it was followed', async () => {
    node.mine([change(8, '0')]);
    await guild.resync([8], 'requested');
    assert.deepEqual(guild.rolesOf(8), []);
    node.cut(1);
    node.mine();
    node.mine();
    await step();
    assert.deepEqual(await queued(), [guild.idOf(8)]);
    await act();
    assert.deepEqual(guild.rolesOf(8), ['gold']);
  });

  it('a result read before a change and stored after it is not used', async () => {
    const { read } = node.holdings;
    node.holdings.read = async (questions) => {
      const answers = await read(questions);
      // The chain advances and is followed while the response is in flight.
      node.mine([change(9, '0')]);
      node.mine();
      await step();
      return answers;
    };
    await guild.resync([9], 'requested');
    node.holdings.read = read;
    assert.deepEqual(guild.rolesOf(9), ['gold']);
    await act();
    assert.deepEqual(guild.rolesOf(9), []);
  });

  it('starts over when the name points to a different chain, and re-checks every member', async () => {
    for (let block = 0; block < 200; block += 1) node.mine();
    await step();
    node.reset();
    node.mine([change(2, '1')]);
    node.mine();
    await step();
    assert.deepEqual(await queued(), ['*']);
    await t.services.db.pool.query('delete from reconcile_queue');
  });

  it('two processes follow a chain one at a time, and a transfer reaches the platform on its own', async () => {
    node.mine(Array.from({ length: members }, (_, member) => change(member, '1')));
    node.mine();
    const worker = startTestWorker(t);
    const followers = [followChains(t.services), followChains(t.services)];
    await until('the role is given', () => guild.rolesOf(3)?.length === 1);
    node.mine([change(3, '0')]);
    node.mine();
    await until('the role is taken', () => guild.rolesOf(3)?.length === 0);
    assert.deepEqual(guild.rolesOf(3), []);
    await Promise.all(followers.map((follower) => follower.stop()));
    await worker.stop(2_000);
  });
});
