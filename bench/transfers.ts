/**
 * From a transfer to the role: a real worker follows a development chain whose blocks contain transfers between members and are sometimes
 * replaced. Measures from when a transfer reaches the configured depth until the Discord emulator shows the role change, compared with a
 * program that polls every member every few seconds.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { someAddresses } from '@latchkey/chains/testing';
import { migrate } from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import {
  fillGuild,
  type GatedGuild,
  type GatedWorld,
  gateGuild,
  holdersOf,
  keyRule,
  openPlatform,
  startGatedWorld,
} from '@latchkey/server/testing/gated-world';
import { countKeys, takeOver } from '@latchkey/server/testing/move-tokens';
import { startLatchkey } from '@latchkey/server/testing/processes';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import type { Address } from 'viem';
import { expectBaseline } from './baseline.ts';
import { KeyHistory } from './transfers/key-history.ts';
import { playChain } from './transfers/play-chain.ts';
import { startPoller } from './transfers/poller.ts';
import { RoleWatch } from './transfers/role-watch.ts';

// Discord allows ten writes in ten seconds per guild. With this many guilds the transfers stay below it, because waiting for Discord is not
// measured here.
const guildCount = 12;
const membersPerGuild = 6;
const keysPerGuild = 3;
const blockMs = 250;
const depth = 2;
const pollSeconds = 10;
const aimMs = 2_000;

const addresses = someAddresses(guildCount * membersPerGuild);

async function main(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  await using world = await startGatedWorld();
  const history = await mintKeys(world);
  const guilds = await gateGuilds(world, databaseUrl);
  await using worker = startLatchkey(['worker'], { DATABASE_URL: databaseUrl, ...world.environment });
  await worker.printed(/worker is running/);
  await untilFollowed(databaseUrl);
  const shown = () => guilds.flatMap((guild) => holdersOf(world.discord, guild, guild.roleIds[0] ?? ''));
  const isShown = (holders: ReadonlySet<Address>) =>
    shown().length === holders.size && shown().every(({ address }) => holders.has(address));
  await until('the first roles are given', () => isShown(history.holdersAt(0)));
  world.discord.resetCounts();

  const ours = new RoleWatch((address) => shown().some((member) => member.address === address));
  const poller = startPoller(pollSeconds, async () => {
    const newest = await world.chain.client.getBlockNumber({ cacheTime: 0 });
    return countHolders(world, newest - BigInt(depth));
  });
  const theirs = new RoleWatch(poller.shows);
  const watches = [ours, theirs];
  const looking = setInterval(() => {
    for (const watch of watches) watch.look();
  }, 5);
  const groups = guilds.map(({ members }) => members.map(({ address }) => address));
  const played = await playChain(world.chain, { history, groups, depth, blockMs }, (address, isHolder) => {
    for (const watch of watches) watch.want(address, isHolder);
  });
  const counted = await countHolders(world);
  const isRight = await until('the last roles are given', () => isShown(counted)).then(
    () => true,
    () => false,
  );
  await rest(pollSeconds * 1000);
  await poller.stop();
  clearInterval(looking);
  await worker.stop();
  report(world, { ours, theirs, isRight, ...played });
}

async function mintKeys({ chain }: GatedWorld): Promise<KeyHistory> {
  await takeOver(chain, addresses);
  const owners = addresses.filter((_, index) => index % membersPerGuild < keysPerGuild);
  await chain.mintKeys(owners);
  return new KeyHistory(new Map(owners.map((owner, index) => [index + 1, owner])));
}

async function gateGuilds({ chain, discord, environment }: GatedWorld, databaseUrl: string): Promise<GatedGuild[]> {
  const { services, close } = await openPlatform(databaseUrl, environment);
  const guilds: GatedGuild[] = [];
  for (let from = 0; from < addresses.length; from += membersPerGuild) {
    const guild = fillGuild(discord, addresses.slice(from, from + membersPerGuild));
    await gateGuild(services, guild, [keyRule(chain, guild.roleIds[0] ?? '')]);
    guilds.push(guild);
  }
  await close();
  return guilds;
}

async function untilFollowed(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await until(
    'the contract is followed',
    async () => (await client.query('select from followed_contracts')).rowCount === 1,
  );
  await client.end();
}

async function countHolders({ chain }: GatedWorld, block?: bigint): Promise<Set<Address>> {
  const keys = await countKeys(chain, addresses, block);
  return new Set(addresses.filter((_, index) => keys[index] !== 0n));
}

function report(
  { discord }: GatedWorld,
  {
    ours,
    theirs,
    isRight,
    transfers,
    replaced,
  }: { ours: RoleWatch; theirs: RoleWatch; isRight: boolean; transfers: number; replaced: number[] },
): void {
  expectBaseline(theirs.latenciesMs.length > 0, 'Polling saw no change of a role.');
  const { rateLimited, noOpWrites } = discord.counts();
  console.log(
    `${transfers} transfers among ${addresses.length} members of ${guildCount} guilds, a block every ${blockMs} ms, ` +
      `${replaced.length} times the last blocks replaced (${replaced.join(', ')}), followed ${depth} blocks below the end`,
  );
  console.log(
    `from the depth to the role: ${ours.describe()} (${ours.early} before they were due, ${ours.overtaken} taken back ` +
      `in time); polling every member every ${pollSeconds} s: ${theirs.describe()}; ratio of p95 ${(ours.p95() / theirs.p95()).toFixed(3)}`,
  );
  console.log(`p95 within ${aimMs} ms: ${ours.p95() <= aimMs ? 'yes' : 'NO'}`);
  console.log(
    `Discord's limit of 10 writes in 10 s and guild was left out of it by spreading over guilds: ${rateLimited} answers ` +
      `of 429, ${noOpWrites} writes that changed nothing`,
  );
  console.log(`final roles ${isRight ? 'equal' : 'DIFFER FROM'} a recount of the chain`);
  if (!isRight) process.exitCode = 1;
}

await withCluster((cluster) => main(cluster.url));
