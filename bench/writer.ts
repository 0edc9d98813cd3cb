/**
 * How close the writer of Discord roles comes to the least time that the limits allow, on a virtual clock against the
 * Discord twin over real HTTP. Prints makespan, lower bound and their ratio, and exits with 1 when a promise is broken.
 */

import { DefaultRestOptions, type RESTOptions } from '@discordjs/rest';
import type { MemberWrite } from '@latchkey/core/ports';
import { createDiscord } from '@latchkey/platforms/discord';
import { VirtualTime } from '@latchkey/platforms/testing';
import { type DiscordTwin, startDiscordTwin } from '@latchkey/twins/discord';

interface Scenario {
  changes: number;
  servers: number;
  lostShare: number;
}

interface Figures extends Scenario {
  makespanSeconds: number;
  confirmedSeconds: number;
  boundSeconds: number;
  calls: number;
  rateLimited: number;
  noOpWrites: number;
  lostWrites: number;
  isRight: boolean;
  realSeconds: number;
}

const writesPerWindow = 10;
const windowSeconds = 10;
const callsPerSecond = 50;
const aim = 1.05;

async function run(scenario: Scenario): Promise<Figures> {
  const time = new VirtualTime();
  const startedAt = performance.now();
  const twin = await startDiscordTwin({ clock: () => time.nowMs(), seed: JSON.stringify(scenario) });
  const watched = watchRequests(time);
  const discord = createDiscord({
    token: twin.application.token,
    apiUrl: twin.url,
    time,
    makeRequest: watched.makeRequest,
  });
  const { jobs, isRight } = seedGuilds(twin, scenario);
  if (scenario.lostShare > 0) twin.misbehave({ kind: 'lost-write', probability: scenario.lostShare });
  const startMs = time.nowMs();
  const pools = jobs.map((writes) =>
    drain(writes, discord.host.writesAtOnce, async (write) => {
      const outcome = await discord.host.writeMember(write);
      if (outcome.kind !== 'written') throw new Error(`A write came to ${JSON.stringify(outcome)}.`);
    }),
  );
  await time.play(Promise.all(pools), watched.isBusy);
  const counts = twin.counts();
  const confirmedMs = time.nowMs();
  await twin.stop();
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
  };
}

/** Knows when a request is under way, during which no time may pass, and when the last change was made. */
function watchRequests(time: VirtualTime) {
  let underWay = 0;
  let lastWriteMs = 0;
  const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
    underWay += 1;
    try {
      const answer = await DefaultRestOptions.makeRequest(url, init);
      // Only with its body an answer is there.
      const text = await answer.text();
      if (init.method !== 'GET') lastWriteMs = time.nowMs();
      return Object.assign(answer, { text: async () => text });
    } finally {
      underWay -= 1;
    }
  };
  return { makeRequest, isBusy: () => underWay > 0, lastWriteMs: () => lastWriteMs };
}

/** Guilds whose members have one role each to gain or to lose, in turns. */
function seedGuilds(twin: DiscordTwin, { changes, servers }: Scenario) {
  const guilds = Array.from({ length: servers }, (_, n) => {
    const guild = twin.createGuild({ name: `Server ${n}` });
    const [kept, changed] = ['Kept', 'Changed'].map((name) => twin.createRole(guild.id, { name }).id);
    if (kept === undefined || changed === undefined) throw new Error('A guild has no roles.');
    return { guildId: guild.id, kept, changed, writes: [] as MemberWrite[] };
  });
  for (let n = 0; n < changes; n += 1) {
    const guild = guilds[n % servers];
    if (guild === undefined) continue;
    const gains = n % (2 * servers) < servers;
    const held = gains ? [guild.kept] : [guild.kept, guild.changed];
    const member = twin.addMember(guild.guildId, { roles: held });
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
        const roles = twin.getGuild(guildId).members.get(userId)?.roles;
        return roles?.has(kept) === true && roles.has(changed) === add.length > 0;
      }),
    );
  return { jobs: guilds.map(({ writes }) => writes), isRight };
}

/** Works through a list with so many at a time. */
async function drain<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

/** No schedule is shorter: the fullest bucket, or all calls together. Reads that check the writes are not counted. */
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
const broken: string[] = [];
for (const scenario of scenarios) {
  const figures = await run(scenario);
  const ratio = figures.makespanSeconds / figures.boundSeconds;
  const name = `${scenario.changes} changes over ${scenario.servers} servers${scenario.lostShare > 0 ? `, ${scenario.lostShare * 100} % of writes lost` : ''}`;
  console.log(
    `${name}: ${figures.makespanSeconds.toFixed(2)} s, lower bound ${figures.boundSeconds} s, ratio ${ratio.toFixed(3)}; ` +
      `all confirmed after ${figures.confirmedSeconds.toFixed(2)} s; ${figures.calls} calls, ${figures.rateLimited} answered 429, ` +
      `${figures.noOpWrites} that changed nothing, ${figures.lostWrites} lost; ` +
      `${figures.isRight ? 'final roles right' : 'FINAL ROLES WRONG'} (${figures.realSeconds.toFixed(1)} s real)`,
  );
  if (!figures.isRight || figures.rateLimited > 0 || figures.noOpWrites > 0) broken.push(name);
  else if (scenario.lostShare === 0 && ratio > aim) broken.push(name);
}
if (broken.length > 0) {
  console.error(`Not kept: ${broken.join('; ')}.`);
  process.exitCode = 1;
}
