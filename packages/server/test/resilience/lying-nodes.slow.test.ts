import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEvmHoldings } from '@latchkey/chains/evm-holdings';
import {
  type FaultProxy,
  type IdleTimers,
  idleTimers,
  type RpcFault,
  someAddresses,
  startFaultProxy,
} from '@latchkey/chains/testing';
import { type Context, contextFor, enqueueReconcile, reconcileCommunityJob, writeWaiting } from '@latchkey/core';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { seed, volume } from '@latchkey/test-kit';
import type { Address } from 'viem';
import { throwDice } from '../harness/dice.ts';
import {
  fillGuild,
  type GatedGuild,
  type GatedWorld,
  gateGuild,
  holdersOf,
  keyRule,
  openPlatform,
  startGatedWorld,
} from '../harness/gated-world.ts';
import { countKeys, moveKey, takeOver } from '../harness/move-tokens.ts';

const members = volume(200, 1_000);
const resyncs = volume(3, 20);
const movesPerResync = 10;
/** Makes many calls fail in each resync. */
const callsPerRequest = members / 10;
const faultyShare = 0.3;
const plain: readonly RpcFault[] = ['fail', 'hang', 'zero', 'wrong-chain'];
// By node. Only one of them tells a plausible lie: two that tell the same one at the same time would defeat a quorum of
// two.
const faultsOf: readonly (readonly RpcFault[])[] = [
  [...plain, 'zero-balances', 'zero-balances'],
  [...plain, 'stale', 'stale'],
  plain,
];

describe('resyncs over nodes of which three calls in ten fail, lie or hang', () => {
  const addresses = someAddresses(members);
  const dice = throwDice(seed('lying nodes'));
  let database: TestDatabase;
  let world: GatedWorld;
  let guild: GatedGuild;
  let ctx: Context;
  /** As in a process that has not seen the faults, and has nothing to wait for. */
  let fresh: Context;
  let time: IdleTimers;
  let close: () => Promise<void>;
  const proxies: FaultProxy[] = [];
  /** The owner of each key. */
  const keys = new Map<number, Address>();

  before(async () => {
    database = await createTestDatabase({ name: 'lying-nodes', migrate: true });
    world = await startGatedWorld({ areLimitsWide: true });
    const { chain, discord, environment } = world;
    await takeOver(chain, addresses);
    const owners = addresses.slice(0, members / 2);
    await chain.mintKeys(owners);
    for (const [index, owner] of owners.entries()) keys.set(index + 1, owner);
    // A stalled node must have something to lag behind.
    await chain.client.mine({ blocks: 50 });
    for (const node of faultsOf.keys()) proxies.push(await startFaultProxy(chain.url, seed(`node ${node}`)));
    const opened = await openPlatform(database.url, environment);
    close = opened.close;
    guild = fillGuild(discord, addresses);
    await gateGuild(opened.services, guild, [keyRule(chain, guild.roleIds[0] ?? '')]);
    const settings = { ...opened.services.settings, gating: { ...opened.config.gating, removalQuorum: 2 } };
    // A busy machine must not look like a node that hangs.
    time = idleTimers((number) => proxies.some(({ unanswered }) => unanswered.has(number)));
    const readAnew = () => {
      const holdings = createEvmHoldings({
        chains: new Map([[String(chain.chainId), { urls: proxies.map(({ url }) => url) }]]),
        clock: opened.services.clock,
        timers: time.timers,
        fetch: time.fetch,
        timeoutMs: 300,
        hedgeAfterMs: 50,
        circuit: { firstPauseMs: 20, longestPauseMs: 40 },
        callsPerRequest,
      });
      return contextFor({ ...opened.services, holdings, settings }, { kind: 'system', job: 'test' });
    };
    ctx = readAnew();
    fresh = readAnew();
  });
  after(async () => {
    time.stop();
    for (const proxy of proxies) await proxy.stop();
    await close();
    await world[Symbol.asyncDispose]();
    await database.drop();
  });

  const holders = () => new Set(holdersOf(world.discord, guild, guild.roleIds[0] ?? '').map(({ address }) => address));

  async function resync(by = ctx): Promise<void> {
    const { communityId } = guild;
    await by.tx((tx) => enqueueReconcile(tx, { communityId, members: '*', cause: 'schedule' }));
    await reconcileCommunityJob(by, communityId);
    await writeWaiting(by, communityId, new AbortController().signal);
  }

  /** Transfers some keys to members who have none. */
  async function moveSome(): Promise<void> {
    for (let n = 0; n < movesPerResync; n += 1) {
      const [keyId, from] = dice.pick([...keys]);
      const owners = new Set(keys.values());
      const to = dice.pick(addresses.filter((address) => !owners.has(address)));
      await moveKey(world.chain, keyId, from, to);
      keys.set(keyId, to);
    }
  }

  /** Returns who holds a key according to the chain. */
  async function recount(): Promise<Set<Address>> {
    const counted = await countKeys(world.chain, addresses);
    return new Set(addresses.filter((_, index) => counted[index] !== 0n));
  }

  test('no member loses a role they qualify for on the chain', async (t) => {
    await resync(fresh);
    assert.deepEqual(holders(), await recount());
    for (const [node, proxy] of proxies.entries()) proxy.misbehave(faultsOf[node] ?? [], faultyShare);
    const faults = [...new Set(faultsOf.flat())];
    const struck = (fault: RpcFault) => proxies.reduce((sum, proxy) => sum + (proxy.struck.get(fault) ?? 0), 0);
    const counts = { swept: 0, taken: 0, given: 0, takenWrongly: 0, givenWrongly: 0 };
    // Runs until every fault has occurred, and something was removed that could have been removed wrongly.
    while (counts.swept < resyncs || counts.taken === 0 || faults.some((fault) => struck(fault) === 0)) {
      counts.swept += 1;
      await moveSome();
      const had = holders();
      await resync();
      const [have, deserve] = [holders(), await recount()];
      const taken = [...had].filter((address) => !have.has(address));
      const given = [...have].filter((address) => !had.has(address));
      counts.taken += taken.length;
      counts.given += given.length;
      counts.takenWrongly += taken.filter((address) => deserve.has(address)).length;
      counts.givenWrongly += given.filter((address) => !deserve.has(address)).length;
    }
    const calls = proxies.reduce((sum, proxy) => sum + proxy.requests.length, 0);
    const strikes = Object.fromEntries(faults.map((fault) => [fault, struck(fault)]));
    t.diagnostic(`${counts.swept} sweeps of ${members} members, ${calls} calls, faults ${JSON.stringify(strikes)}`);
    t.diagnostic(JSON.stringify(counts));
    assert.equal(counts.takenWrongly, 0, `with the seed ${seed('lying nodes')}`);

    for (const proxy of proxies) proxy.behave();
    // Data of a block is cached for that block.
    await world.chain.client.mine({ blocks: 1 });
    await resync(fresh);
    assert.deepEqual(holders(), await recount());
  });
});
