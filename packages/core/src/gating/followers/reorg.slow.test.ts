import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bound, seed, until, volume } from '@latchkey/test-kit';
import { seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { chain, type Guild, setUpGuild, startTestWorker, token } from '../role-changes/testing/index.ts';
import { type MemoryChain, memoryChain } from '../role-changes/testing/memory-chain.ts';
import { followChains } from './follow.ts';

describe('roles on a chain that is reorganized', () => {
  const members = 300;
  const blocks = volume(60, 200);
  const depth = 2;
  const drawnFrom = seed('one to six blocks');
  let t: TestPlatform;
  let node: MemoryChain;
  let guild: Guild;

  before(async () => {
    t = await testPlatform(drawnFrom);
    t.services.clock = () => new Date();
    node = memoryChain(chain);
    t.services.holdings = node.holdings;
    t.services.follower = node.follower;
    // Many members rightly lose the role here, so approval of large removals is turned off.
    t.services.settings.gating = { followDepth: depth, heldRemovalShare: 1, heldRemovalsPerDay: 1_000_000 };
    guild = await setUpGuild(t, { members });
  });
  after(() => t.close());

  const bytes = seededRandom(drawnFrom);
  const draw = (below: number) => Buffer.from(bytes.bytes(4)).readUInt32BE() % below;
  const isRight = (member: number) =>
    (node.balanceOf(token, guild.walletOf(member)) !== '0') === (guild.rolesOf(member)?.length === 1);

  function mineRandom(): number[] {
    const moved = Array.from({ length: 1 + draw(3) }, () => draw(members));
    node.mine(
      moved.map((member) => ({ contract: token, account: guild.walletOf(member), amount: draw(2) === 0 ? '0' : '1' })),
    );
    return moved;
  }

  it('every role follows its transfer within two seconds, and in the end equals a recount', async (test) => {
    await guild.resync();
    const worker = startTestWorker(t);
    const following = followChains(t.services);
    // Runs even if the test fails: a follower that is still running would keep the database open.
    test.after(async () => {
      await following.stop();
      await worker.stop(60_000);
    });
    // The members whose balance changed in each of the last blocks, newest last, and since when each change has been
    // deep enough.
    const recent: number[][] = [];
    const dueSince = new Map<number, number>();
    const latencies: number[] = [];
    const settle = () => {
      for (const [member, since] of dueSince) {
        if (!isRight(member)) continue;
        latencies.push(performance.now() - since);
        dueSince.delete(member);
      }
    };
    let reorganised = 0;
    for (let block = 0; block < blocks; block += 1) {
      if (draw(10) === 0) {
        const length = 1 + draw(6);
        node.cut(length);
        for (const member of recent.splice(-length).flat()) dueSince.delete(member);
        for (let again = 0; again < length; again += 1) recent.push(mineRandom());
        reorganised += 1;
      } else recent.push(mineRandom());
      const deep = recent.at(-1 - depth) ?? [];
      const later = new Set(recent.slice(-depth).flat());
      for (const member of deep) if (!later.has(member)) dueSince.set(member, performance.now());
      for (let wait = 0; wait < 4; wait += 1) {
        await delay(25);
        settle();
      }
    }
    for (let block = 0; block < depth; block += 1) node.mine();
    await until('the roles match a recount of the chain', () => {
      settle();
      return Array.from({ length: members }, (_, member) => isRight(member)).every(Boolean);
    });
    const sorted = latencies.toSorted((a, b) => a - b);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY;
    test.diagnostic(`seed ${drawnFrom}: ${blocks} blocks, ${reorganised} reorganisations, ${latencies.length} changes`);
    assert.ok(latencies.length > blocks / 2);
    await bound(test, '95 of 100 roles following a transfer that is deep enough', p95, 2_000);
  });
});
