/**
 * What a Latchkey costs as it grows: with n, 2n and 4n generated communities, the database size per member, the memory of a worker, and how
 * long a check of one member, a resync of one community, a transfer, a page of members and a check over HTTP take. The measured community
 * stays the same, so none of them may grow.
 *
 * BENCH_COMMUNITIES (1,000) and BENCH_MEMBERS (100 each) set n: with 12,500 it ends with 50,000 communities and 5 million members.
 * BENCH_SEED selects another world. BENCH_DATABASE_URL is an empty database that is filled and kept.
 */
import { someAddresses } from '@latchkey/chains/testing';
import { migrate } from '@latchkey/db';
import { withCluster } from '@latchkey/db/testing';
import { fillGuild, gateGuild, keyRule, openPlatform, startGatedWorld } from '@latchkey/server/testing/gated-world';
import { takeOver } from '@latchkey/server/testing/move-tokens';
import { startLatchkey as startWorker } from '@latchkey/server/testing/processes';
import { expectPromised } from './promise.ts';
import { populate, readTemplate } from './scale/populate.ts';
import { openProbe, type Probe } from './scale/probe.ts';
import { readBack } from './scale/read-back.ts';
import { startLatchkey } from './server-process.ts';

const communities = Number(process.env.BENCH_COMMUNITIES ?? 1_000);
const membersEach = Number(process.env.BENCH_MEMBERS ?? 100);
const seed = Number(process.env.BENCH_SEED ?? 1);
const probeMembers = 500;
const rounds = 15;
const requestsMs = 5_000;
const mostGrowth = 2;

type Measurements = Record<string, { value: number; unit: string }>;

async function main(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  await using world = await startGatedWorld({ areLimitsWide: true });
  const environment = {
    DATABASE_URL: databaseUrl,
    LATCHKEY_BASE_URL: 'http://localhost',
    LATCHKEY_USER_RATE: '1000000/1',
    LATCHKEY_SANDBOX: 'false',
    ...world.environment,
  };
  const addresses = someAddresses(probeMembers);
  await world.chain.mintKeys(addresses.filter((_, index) => index % 2 === 0));
  await takeOver(world.chain, addresses.slice(0, 2));
  const guild = fillGuild(world.discord, addresses);
  const { services, close } = await openPlatform(databaseUrl, environment);
  await gateGuild(services, guild, [keyRule(world.chain, guild.roleIds[0] ?? '')]);

  const all: Measurements[] = [];
  let shape: Parameters<typeof populate>[1] | undefined;
  for (const [step, size] of [communities, 2 * communities, 4 * communities].entries()) {
    if (shape === undefined) {
      // A first worker indexes the asset of the rule and grants the first roles.
      await using worker = startWorker(['worker'], environment);
      await using probe = await openProbe({ databaseUrl, services, world, guild });
      await probe.untilIdle();
      await worker.stop();
      shape = { seed, membersEach, at: new Date(), rule: await readTemplate(databaseUrl, guild.communityId) };
    }
    const startedMs = performance.now();
    const rows = await populate(databaseUrl, shape, step === 0 ? 0 : size / 2, size);
    const seconds = (performance.now() - startedMs) / 1000;
    console.log(`${size} communities with ${membersEach} members each: ${rows} rows more in ${seconds.toFixed(0)} s`);
    const server = await startLatchkey('server', withoutDiscord(environment));
    try {
      await readBack(services, server.url, shape, size - 1);
      await using worker = startWorker(['worker'], environment);
      await using probe = await openProbe({ databaseUrl, services, world, guild });
      await probe.untilIdle();
      all.push(await measure(probe, { url: server.url, pid: worker.pid, members: size * membersEach }));
    } finally {
      await server.stop();
    }
  }
  await using last = await openProbe({ databaseUrl, services, world, guild });
  for (const line of await last.describeTables()) console.log(line);
  await close();
  report(all);
}

/** Discord does not have the generated communities, so a server that queries it would not admit their admins. */
function withoutDiscord(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('LATCHKEY_DISCORD_')));
}

async function measure(
  probe: Probe,
  { url, pid, members }: { url: string; pid: number; members: number },
): Promise<Measurements> {
  const ask = await probe.openApi(url);
  return {
    'database for each member': { value: (await probe.databaseBytes()) / members, unit: 'bytes' },
    'check of one member': await least(() => probe.checkMember()),
    'resync of one community': await least(() => probe.resync(), 5),
    'transfer to role': await least(() => probe.transfer(), 7),
    'page of members': await least(() => ask.page(), rounds, requestsMs),
    'check over HTTP': await least(() => ask.check(), rounds, requestsMs),
    'memory of a worker': { value: probe.residentMegabytes(pid), unit: 'MB' },
  };
}

/**
 * Returns the minimum of several rounds: other load on the machine only ever adds to it. Requests are repeated for some seconds, because
 * all rounds of so short an action could otherwise fall into one burst of other load.
 */
async function least(act: () => Promise<void>, times = rounds, forMs = 0): Promise<{ value: number; unit: string }> {
  const took: number[] = [];
  const begunMs = performance.now();
  for (let round = -2; round < times || performance.now() - begunMs < forMs; round += 1) {
    const startedMs = performance.now();
    await act();
    if (round >= 0) took.push(performance.now() - startedMs);
  }
  return { value: Math.min(...took), unit: 'ms' };
}

function report(all: readonly Measurements[]): void {
  for (const name of Object.keys(all[0] ?? {})) {
    const values = all.map((measurements) => measurements[name]?.value ?? Number.NaN);
    const growth = (values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN);
    expectPromised(
      growth <= mostGrowth,
      `${name}: ${values.map((value) => value.toFixed(1)).join(', ')} ${all[0]?.[name]?.unit}; ` +
        `at four times the size ${growth.toFixed(2)} times as much, promised at most ${mostGrowth} times`,
    );
  }
}

const given = process.env.BENCH_DATABASE_URL;
if (given === undefined) await withCluster((cluster) => main(cluster.url));
else await main(given);
