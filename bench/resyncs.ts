/**
 * What a resync of 10,000 members and five rules costs in calls to the chain and in time: the first one, and later ones after some
 * transfers. It uses a real worker with its database, the Discord emulator and a development chain; compared with one call for each wallet
 * and rule.
 */

import { type FaultProxy, someAddresses, startFaultProxy } from '@latchkey/chains/testing';
import { enqueueReconcile } from '@latchkey/core';
import { migrate } from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import {
  fillGuild,
  type GatedGuild,
  type GatedWorld,
  gateGuild,
  holdersOf,
  openPlatform,
  startGatedWorld,
} from '@latchkey/server/testing/gated-world';
import { countKeys, moveKey, takeOver } from '@latchkey/server/testing/move-tokens';
import { startLatchkey } from '@latchkey/server/testing/processes';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { expectPromised } from './promise.ts';
import { callOneByOne } from './resyncs/call-one-by-one.ts';
import { mintSome, rulesFor } from './resyncs/five-rules.ts';

const members = 10_000;
const transferCounts = [0, 10, 100];
const sampledCalls = 1_000;
const depth = 2;
const mostCalls = 30;

const addresses = someAddresses(members);

async function main(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  // Writing is measured by a separate benchmark.
  await using world = await startGatedWorld({ areLimitsWide: true });
  const { chain, discord } = world;
  // It only counts requests.
  const node = await startFaultProxy(chain.url);
  const environment = { ...world.environment, LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${node.url}` };
  const guild = fillGuild(discord, addresses, 5);
  const rules = rulesFor(chain, guild.roleIds);
  const deserved = await mintSome(chain, addresses);
  for (const [index, { userId }] of guild.members.entries())
    discord.setMemberRoles(
      guild.id,
      userId,
      guild.roleIds.filter((_, rule) => deserved[rule]?.(index)),
    );
  const { services, close } = await openPlatform(databaseUrl, environment);
  await gateGuild(services, guild, rules);

  const pipeline = await openPipeline(databaseUrl);
  await using worker = startLatchkey(['worker'], { DATABASE_URL: databaseUrl, ...environment });
  await worker.printed(/worker is running/);
  const cold = await measure(node, pipeline.isIdle);
  console.log(`first resync of ${members} members and ${rules.length} rules: ${describe(cold)}`);
  expectPromised(
    cold.withoutHeaders <= mostCalls,
    `${cold.withoutHeaders} calls besides headers, promised at most ${mostCalls}`,
  );

  const later = [];
  for (const transfers of transferCounts) {
    const before = node.requests.length;
    await moveKeys(world, transfers);
    await pipeline.untilFollowed(await chain.client.getBlockNumber({ cacheTime: 0 }));
    await until('nothing is left to do', pipeline.isIdle);
    const received = node.requests.length - before;
    await services.db.transaction('system', (tx) =>
      enqueueReconcile(tx, { communityId: guild.communityId, members: '*', cause: 'schedule' }),
    );
    const swept = await measure(node, pipeline.isIdle);
    later.push(swept);
    console.log(
      `after ${transfers} transfers: ${received} calls to detect them and change roles, then ${describe(swept)}`,
    );
  }
  const [again] = later;
  const plain = await callOneByOne(chain, rules, addresses, sampledCalls);
  console.log(
    `one call for each wallet and rule: ${plain.calls} calls, ${(plain.ms / 1000).toFixed(1)} s (scaled up from ${sampledCalls} ` +
      `calls, ${plain.atOnce} at a time); calls to the first resync ${(plain.calls / cold.calls).toFixed(0)} : 1, time ` +
      `${(plain.ms / cold.ms).toFixed(1)} : 1; time to a later resync ${(plain.ms / (again?.ms ?? Number.NaN)).toFixed(1)} : 1`,
  );
  expectPromised(await rolesAreRight(world, guild, deserved), 'final roles, compared with a recount of the chain');
  await worker.stop();
  await pipeline.close();
  await close();
  await node.stop();
}

/** Calls that follow the chain, one every half second, whatever is resynced. */
const headerMethods: ReadonlySet<string> = new Set(['eth_blockNumber', 'eth_getBlockByHash', 'eth_getBlockByNumber']);

interface Swept {
  calls: number;
  withoutHeaders: number;
  byMethod: string;
  ms: number;
}

async function measure(node: FaultProxy, isIdle: () => Promise<boolean>): Promise<Swept> {
  const from = node.requests.length;
  const startedMs = performance.now();
  await until('nothing is left to do', isIdle);
  const ms = performance.now() - startedMs;
  const requested = node.requests.slice(from);
  const methods = Map.groupBy(requested, (method) => method);
  return {
    calls: requested.length,
    withoutHeaders: requested.filter((method) => !headerMethods.has(method)).length,
    byMethod: [...methods].map(([name, all]) => `${all.length} ${name}`).join(', '),
    ms,
  };
}

function describe({ calls, byMethod, ms }: Swept): string {
  return `${calls} calls to the chain in ${(ms / 1000).toFixed(1)} s (${byMethod || 'none'}; a header every half second is for following)`;
}

/** Checks the database from outside: whether anything is left to do. */
async function openPipeline(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const isIdle = async () => {
    const { rowCount } = await client.query(`
      select from reconcile_queue
      union all select from jobs where name like 'gating.%' and state in ('ready', 'running')
      union all select from change_set_items where state in ('pending', 'sent') limit 1`);
    return rowCount === 0;
  };
  const untilFollowed = (newest: bigint) =>
    until('the chain is followed to its end', async () => {
      const { rows } = await client.query<{ number: string }>('select number from followed_chains');
      return BigInt(rows[0]?.number ?? 0) >= newest - BigInt(depth);
    });
  return { isIdle, untilFollowed, close: () => client.end() };
}

let moved = 0;

/** Moves keys from members who have one to members who have none. */
async function moveKeys({ chain }: GatedWorld, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    moved += 1;
    const [from, to] = [addresses[2 * (moved - 1)], addresses[2 * (moved - 1) + 1]];
    if (from === undefined || to === undefined) throw new Error('There are no keys left to move.');
    await takeOver(chain, [from]);
    await moveKey(chain, moved, from, to);
  }
  await chain.client.mine({ blocks: depth });
}

/** Keys were moved, so the first role follows a recount; the others stay with the members that the tokens were minted to. */
async function rolesAreRight(
  { chain, discord }: GatedWorld,
  guild: GatedGuild,
  deserved: readonly ((member: number) => boolean)[],
): Promise<boolean> {
  const keys = await countKeys(chain, addresses);
  const isRight = [(member: number) => keys[member] !== 0n, ...deserved.slice(1)];
  return guild.roleIds.every((roleId, rule) => {
    const right = guild.members.filter((_, member) => isRight[rule]?.(member));
    const shown = holdersOf(discord, guild, roleId);
    return shown.length === right.length && shown.every((member, index) => member === right[index]);
  });
}

await withCluster((cluster) => main(cluster.url));
