/**
 * How close the Discord role writers come to the minimum time that the limits allow, on a virtual clock against the Discord emulator over
 * real HTTP: a single one, and one to eight that share the bot's calls through PostgreSQL. Prints makespan, lower bound and their ratio,
 * and exits with 1 if a limit is exceeded.
 */

import type { CallBudget, MemberWrite } from '@latchkey/core/ports';
import { type Database, migrate, openCallBudget, openDatabase } from '@latchkey/db';
import { createTestDatabase } from '@latchkey/db/testing';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import type { Log } from '@latchkey/kernel';
import { createDiscord } from '@latchkey/platforms/discord';
import { VirtualTime } from '@latchkey/platforms/testing';

interface Scenario {
  changes: number;
  servers: number;
  lostShare: number;
  /** How many workers share the calls; undefined for one that has them for itself. */
  workers?: number;
}

interface Measurements extends Scenario {
  makespanSeconds: number;
  confirmedSeconds: number;
  boundSeconds: number;
  calls: number;
  rateLimited: number;
  noOpWrites: number;
  lostWrites: number;
  isRight: boolean;
  realSeconds: number;
  /** How much the slowest worker had done when half of all work was done, relative to an even share. */
  leastShare: number;
}

const writesPerWindow = 10;
const windowSeconds = 10;
const callsPerSecond = 50;
const aim = 1.05;
/** A worker below this share of an even one is starved. */
const leastEvenShare = 0.8;

const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: console.error,
  error: console.error,
  for: () => log,
};

async function run(scenario: Scenario, database?: Database): Promise<Measurements> {
  const time = new VirtualTime();
  const startedAt = performance.now();
  const emulator = await startDiscordEmulator({ clock: () => time.nowMs(), seed: JSON.stringify(scenario) });
  const watched = watchRequests(time);
  const progress = new Progress(scenario.workers ?? 1, scenario.changes);
  const sharing = database && watchBudgets(database, time, `bench/${scenario.workers}/${scenario.servers}`);
  const discords = Array.from({ length: scenario.workers ?? 1 }, (_, n) =>
    createDiscord({
      token: emulator.application.token,
      apiUrl: emulator.url,
      time,
      // By the machine's clock, which does not count here: a busy machine may take its time.
      timeoutMs: 600_000,
      fetch: async (url, init) => {
        const answer = await watched.fetch(url, init);
        if (init?.method !== 'GET') progress.note(n);
        return answer;
      },
      ...(sharing && { budget: sharing.budgetOf(`worker-${n}`) }),
    }),
  );
  const { jobs, isRight } = seedGuilds(emulator, scenario);
  if (scenario.lostShare > 0) emulator.misbehave({ kind: 'lost-write', probability: scenario.lostShare });
  const startMs = time.nowMs();
  // The writes of a community are one job, so one worker makes them all.
  const pools = jobs.map((writes, n) => {
    const { host } = discords[n % discords.length] ?? fail('There is no worker.');
    return drain(writes, host.writesAtOnce, async (write) => {
      const outcome = await host.writeMember(write);
      if (outcome.kind !== 'written') throw new Error(`A write came to ${JSON.stringify(outcome)}.`);
    });
  });
  await time.play(Promise.all(pools), () => watched.isBusy() || sharing?.isBusy() === true);
  const counts = emulator.counts();
  const confirmedMs = time.nowMs();
  await emulator.stop();
  return {
    ...scenario,
    makespanSeconds: (watched.lastWriteMs() - startMs) / 1000,
    confirmedSeconds: (confirmedMs - startMs) / 1000,
    boundSeconds: lowerBound(jobs.map((writes) => writes.length)),
    calls: counts.requests,
    rateLimited: counts.rateLimited,
    noOpWrites: counts.noOpWrites,
    lostWrites: counts.lostWrites,
    isRight: isRight(),
    realSeconds: (performance.now() - startedAt) / 1000,
    leastShare: progress.leastShare,
  };
}

function fail(message: string): never {
  throw new Error(message);
}

/** Records how even the workers were when half of all work was done. */
class Progress {
  leastShare = 1;
  readonly #done: number[];
  readonly #half: number;
  #total = 0;

  constructor(workers: number, changes: number) {
    this.#done = Array.from({ length: workers }, () => 0);
    this.#half = Math.floor(changes / 2);
  }

  note(worker: number): void {
    this.#done[worker] = (this.#done[worker] ?? 0) + 1;
    this.#total += 1;
    if (this.#total === this.#half) this.leastShare = (Math.min(...this.#done) * this.#done.length) / this.#total;
  }
}

/** Budgets on a real database that use the virtual clock, and whether one of them has a request in flight. */
function watchBudgets(database: Database, time: VirtualTime, name: string) {
  let inProgress = 0;
  return {
    isBusy: () => inProgress > 0,
    budgetOf: (owner: string): CallBudget => {
      const budget = openCallBudget(database, { name, owner, nowMs: () => time.nowMs() });
      return {
        report: async (report) => {
          inProgress += 1;
          try {
            return await budget.report(report);
          } finally {
            inProgress -= 1;
          }
        },
      };
    },
  };
}

/** Tracks whether a request is in flight, during which no time may pass, and when the last change was made. */
function watchRequests(time: VirtualTime) {
  let inProgress = 0;
  let lastWriteMs = 0;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    inProgress += 1;
    try {
      const answer = await globalThis.fetch(url, init);
      // A response is complete only with its body.
      const text = await answer.text();
      if (init?.method !== 'GET') lastWriteMs = time.nowMs();
      return Object.assign(answer, { text: async () => text });
    } finally {
      inProgress -= 1;
    }
  };
  return { fetch, isBusy: () => inProgress > 0, lastWriteMs: () => lastWriteMs };
}

/** Creates guilds whose members each gain or lose one role, alternating. */
function seedGuilds(emulator: DiscordEmulator, { changes, servers }: Scenario) {
  const guilds = Array.from({ length: servers }, (_, n) => {
    const guild = emulator.createGuild({ name: `Server ${n}` });
    const [kept, changed] = ['Kept', 'Changed'].map((name) => emulator.createRole(guild.id, { name }).id);
    if (kept === undefined || changed === undefined) throw new Error('A guild has no roles.');
    return { guildId: guild.id, kept, changed, writes: [] as MemberWrite[] };
  });
  for (let n = 0; n < changes; n += 1) {
    const guild = guilds[n % servers];
    if (guild === undefined) continue;
    const gains = n % (2 * servers) < servers;
    const held = gains ? [guild.kept] : [guild.kept, guild.changed];
    const member = emulator.addMember(guild.guildId, { roles: held });
    guild.writes.push({
      communityId: guild.guildId,
      userId: member.user.id,
      add: gains ? [guild.changed] : [],
      remove: gains ? [] : [guild.changed],
      held,
      reason: 'Benchmark',
    });
  }
  const isRight = () =>
    guilds.every(({ guildId, kept, changed, writes }) =>
      writes.every(({ userId, add }) => {
        const roles = emulator.getGuild(guildId).members.get(userId)?.roles;
        return roles?.has(kept) === true && roles.has(changed) === add.length > 0;
      }),
    );
  return { jobs: guilds.map(({ writes }) => writes), isRight };
}

/** Works through a list, a fixed number at a time. */
async function drain<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

/** No schedule is shorter: the fullest bucket, or all calls together. Reads that verify the writes do not count. */
function lowerBound(writesPerServer: readonly number[]): number {
  const bucketSeconds = (Math.ceil(Math.max(...writesPerServer) / writesPerWindow) - 1) * windowSeconds;
  const total = writesPerServer.reduce((sum, writes) => sum + writes, 0);
  return Math.max(bucketSeconds, Math.ceil(total / callsPerSecond) - 1);
}

const sizes = [100, 1_000, 10_000];
const scenarios: Scenario[] = [
  ...sizes.flatMap((changes) => [1, 10, 50].map((servers) => ({ changes, servers, lostShare: 0 }))),
  ...[
    { changes: 1_000, servers: 10 },
    { changes: 10_000, servers: 50 },
  ].map((scenario) => ({ ...scenario, lostShare: 0.01 })),
];
const shared: Scenario[] = [1, 2, 4, 8].flatMap((workers) =>
  [
    { changes: 1_000, servers: 8 },
    // More servers than calls in a second: the order decides how long it takes.
    { changes: 2_000, servers: 100 },
  ].map((scenario) => ({ ...scenario, lostShare: 0, workers })),
);

const broken: string[] = [];
function printMeasurements(measurements: Measurements): void {
  const { changes, servers, lostShare, workers } = measurements;
  const ratio = measurements.makespanSeconds / measurements.boundSeconds;
  const name = `${changes} changes over ${servers} servers${workers === undefined ? '' : ` by ${workers} worker${workers > 1 ? 's' : ''} that share`}${lostShare > 0 ? `, ${lostShare * 100} % of writes lost` : ''}`;
  console.log(
    `${name}: ${measurements.makespanSeconds.toFixed(2)} s, lower bound ${measurements.boundSeconds} s, ratio ${ratio.toFixed(3)}; ` +
      `all confirmed after ${measurements.confirmedSeconds.toFixed(2)} s; ${measurements.calls} calls, ${measurements.rateLimited} answered 429, ` +
      `${measurements.noOpWrites} that changed nothing, ${measurements.lostWrites} lost; ` +
      `${workers === undefined ? '' : `slowest worker at ${(measurements.leastShare * 100).toFixed(0)} % of an even share; `}` +
      `${measurements.isRight ? 'final roles right' : 'FINAL ROLES WRONG'} (${measurements.realSeconds.toFixed(1)} s real)`,
  );
  if (!measurements.isRight || measurements.rateLimited > 0 || measurements.noOpWrites > 0) broken.push(name);
  else if (lostShare === 0 && measurements.makespanSeconds / measurements.boundSeconds > aim) broken.push(name);
  else if (measurements.leastShare < leastEvenShare) broken.push(name);
}

if (!process.argv.includes('--shared')) for (const scenario of scenarios) printMeasurements(await run(scenario));
const test = await createTestDatabase({ migrate, name: 'bench_writer' });
const database = openDatabase({ url: test.url, log });
for (const scenario of shared) printMeasurements(await run(scenario, database));
await database.close();
await test.drop();
if (broken.length > 0) {
  console.error(`Not kept: ${broken.join('; ')}.`);
  process.exitCode = 1;
}
