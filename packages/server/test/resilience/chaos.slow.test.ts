import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { seed, until, volume } from '@latchkey/test-kit';
import { act, checkEverybody } from '../harness/chaos/act.ts';
import { type Baseline, p99, startBaseline } from '../harness/chaos/measurements.ts';
import { allFaults, describeRound, drawSchedule, type FaultKind, type Round } from '../harness/chaos/schedule.ts';
import { strike } from '../harness/chaos/strike.ts';
import { type ChaosWorld, startChaosWorld } from '../harness/chaos/world.ts';
import { throwDice } from '../harness/dice.ts';
import { megabytesOf } from '../harness/memory.ts';

const rounds = volume(3, 165);
const isSmall = volume(0, 1) === 0;
const size = isSmall
  ? { servers: 1, workers: 1, nodes: 2, guilds: 1, membersPerGuild: 12, hasPair: false }
  : { servers: 2, workers: 2, nodes: 2, guilds: 2, membersPerGuild: 40, hasPair: true };
const smallFaults: readonly FaultKind[] = ['kill', 'lying node', '429 storm'];
const actionsPerRound = isSmall ? 4 : 12;
const lastsMs = isSmall ? ([500, 1_500] as const) : ([1_500, 9_000] as const);
const readsPerRound = isSmall ? 20 : 200;
/** Caches and pools are full from here on. */
const warmShare = 0.25;
const mostGrowth = 1.1;
const mostDrift = 1.2;
/** With fewer rounds than this, a third of them shows no trend. */
const fewestForTrends = 30;

/** Measurements while everything was quiet. */
interface Quiet {
  reads: number[];
  baseline: number[];
  /** By process; a replaced process counts as another one. */
  megabytes: Map<string, number>;
}

test('whatever fails, roles end up right, no qualifying member loses one, and nothing acknowledged is lost', async (t) => {
  const chosen = seed('chaos');
  const dice = throwDice(chosen);
  await using world = await startChaosWorld(size, dice, chosen);
  await using baseline = await startBaseline();
  const { crew, pair } = world;
  const named = (kind: string) => crew.posts.filter((post) => post.kind === kind).map(({ name }) => name);
  const noDisk = pair?.fillDisk === undefined ? (pair?.noDisk ?? 'the small run has none') : undefined;
  const faults = isSmall ? smallFaults : allFaults.filter((kind) => kind !== 'fill the disk' || noDisk === undefined);
  const setting = { servers: named('server'), workers: named('worker'), nodes: size.nodes, faults, lastsMs };
  const schedule = drawSchedule(dice, rounds, actionsPerRound, setting);
  t.diagnostic(`seed ${chosen}`);
  if (noDisk !== undefined) t.diagnostic(`no full disk: ${noDisk}`);
  for (const [at, round] of schedule.entries()) t.diagnostic(`round ${at + 1}: ${describeRound(round)}`);

  const since = performance.now();
  const quiets: Quiet[] = [];
  await becomesQuiet(world, 'at the beginning');
  for (const [at, round] of schedule.entries()) {
    const name = `round ${at + 1} of ${rounds} (${describeRound(round)}), seed ${chosen}`;
    await playRound(world, round, name);
    quiets.push(await measure(world, baseline));
  }
  await world.load.nothingIsLost();
  assert.deepEqual(await world.query(`select name, last_error from jobs where state = 'dead'`), []);
  report(t, world, performance.now() - since);
  holdMemory(t, quiets);
  holdDrift(t, quiets);
});

async function playRound(world: ChaosWorld, { faults, lastsMs, actions }: Round, name: string): Promise<void> {
  const { begun } = world.load.written;
  world.diary.length = 0;
  try {
    world.load.start();
    const heals = [];
    const acting = (async () => {
      for (const action of actions) {
        await act(world, action);
        await delay(lastsMs / actions.length);
      }
    })();
    // The first failure is reported at the end of the round.
    acting.catch(() => undefined);
    for (const fault of faults) heals.push(await strike(world, fault));
    await delay(lastsMs);
    // In parallel, because a process does not start before its database is back.
    await Promise.all(heals.map((heal) => heal()));
    await acting;
    await world.crew.ready();
    await world.load.stop();
    await world.load.nothingIsLost(begun);
    // A false balance that grants no role is cached for up to a day, unless a check is requested.
    if (faults.some(({ kind }) => kind === 'lying node')) await checkEverybody(world);
  } catch (error) {
    throw new Error(`In ${name}: ${error instanceof Error ? error.message : error}\n${world.crew.lastLines()}`, {
      cause: error,
    });
  }
  await becomesQuiet(world, `after ${name}`);
}

/** After everything is healed: all roles match the model, and every write can be explained. */
async function becomesQuiet(world: ChaosWorld, when: string): Promise<void> {
  const { model, chain } = world;
  const movedUpTo = await chain.client.getBlockNumber();
  await chain.client.mine({ blocks: 3 });
  // Wait for pending writes, which were decided before now and would be checked against later events, and for transfers that
  // are not processed yet.
  const open = `select from change_set_items where state in ('pending', 'sent')
    union all select from reconcile_queue where due_at is null or due_at <= now()
    union all select from followed_chains where number < ${movedUpTo}`;
  const isQuiet = async () => model.differences().length === 0 && (await world.query(open)).length === 0;
  await until(`all roles are right ${when}`, isQuiet).catch(async (error: Error) => {
    const wrong = model.differences().map((line) => `'DIS#USER#${line.split(' ')[1]}'`);
    const whose = `where user_id in (${[...wrong, "''"].join()})`;
    const left = [
      ...(await world.query(`select * from community_members ${whose}`)),
      ...(await world.query(`select * from change_set_items ${whose}`)),
      ...(await world.query(`select * from role_ledger ${whose} order by id desc limit 20`)),
      ...(await world.query('select * from reconcile_queue')),
      ...(await world.query(`select * from change_set_items where state not in ('confirmed', 'dropped', 'gone')`)),
      ...(await world.query(`select name, state, run_at, last_error from jobs`)),
      ...(await world.query('select account, answer, block_number, read_at from read_holdings order by account')),
      ...(await world.query('select * from followed_chains')),
    ].map((row) => JSON.stringify(row));
    throw new Error(
      [error.message, ...model.differences(), ...world.diary, ...left, world.crew.lastLines()].join('\n'),
    );
  });
  const wrong = model.checkWrites();
  if (wrong.length === 0) return;
  const changeSets = wrong.map((line) => `'${line.split(' ').at(-1)}'`).join();
  const items = await world.query(
    `select p.cause, p.created_at, i.* from change_set_items i join change_sets p on p.id = i.change_set_id where i.change_set_id in (${changeSets})`,
  );
  const report = [...world.diary, ...items.map((item) => JSON.stringify(item)), world.crew.lastLines()];
  assert.fail([`Unexplained writes ${when}:`, ...wrong, ...report].join('\n'));
}

async function measure({ crew, load }: ChaosWorld, baseline: Baseline): Promise<Quiet> {
  const megabytes = new Map<string, number>();
  if (process.platform === 'linux')
    for (const { name, process: latchkey } of crew.posts)
      megabytes.set(`${name} (pid ${latchkey.pid})`, await megabytesOf(latchkey.pid));
  return {
    reads: await load.timeReads(readsPerRound),
    baseline: await baseline.timeReads(readsPerRound),
    megabytes,
  };
}

function report(t: TestContext, { model, load }: ChaosWorld, tookMs: number): void {
  const { begun, acknowledged } = load.written;
  t.diagnostic(
    `${rounds} rounds in ${(tookMs / 60_000).toFixed(1)} minutes; roles given ${model.counts.given}, taken ${model.counts.taken}, ` +
      `none of them wrongly; ${begun} writes, ${acknowledged} acknowledged, none lost; calls ${JSON.stringify(load.counts)}`,
  );
}

/**
 * Compares processes that lived from the warm-up to the end. Uses the minimum of several rounds, because garbage
 * fluctuates.
 */
function holdMemory(t: TestContext, quiets: readonly Quiet[]): void {
  const some = Math.max(1, Math.floor(quiets.length / 8));
  const warm = Math.floor(quiets.length * warmShare);
  const least = (part: readonly Quiet[], name: string) =>
    Math.min(...part.map(({ megabytes }) => megabytes.get(name) ?? Number.POSITIVE_INFINITY));
  for (const name of quiets.at(-1)?.megabytes.keys() ?? []) {
    const from = least(quiets.slice(warm, warm + some), name);
    const to = least(quiets.slice(-some), name);
    if (!Number.isFinite(from)) continue;
    t.diagnostic(`${name}: ${from.toFixed()} MB, then ${to.toFixed()} MB`);
    if (quiets.length >= fewestForTrends)
      assert.ok(to <= from * mostGrowth, `${name}: ${from.toFixed()} MB became ${to.toFixed()} MB`);
  }
}

/**
 * Compares the last third with the first one, adjusted by how much slower a server that does nothing became meanwhile.
 */
function holdDrift(t: TestContext, quiets: readonly Quiet[]): void {
  const third = Math.max(1, Math.floor(quiets.length / 3));
  const of = (part: readonly Quiet[], what: 'reads' | 'baseline') => p99(part.flatMap((quiet) => quiet[what]));
  const [first, last] = [quiets.slice(0, third), quiets.slice(-third)];
  const drift = of(last, 'reads') / of(first, 'reads');
  const stretch = Math.max(1, of(last, 'baseline') / of(first, 'baseline'));
  t.diagnostic(
    `p99 of a read: ${of(first, 'reads').toFixed(1)} ms in the first third, ${of(last, 'reads').toFixed(1)} ms in the last; ` +
      `of a server that does nothing ${of(first, 'baseline').toFixed(1)} and ${of(last, 'baseline').toFixed(1)} ms`,
  );
  if (quiets.length >= fewestForTrends)
    assert.ok(drift <= mostDrift * stretch, `p99 became ${drift.toFixed(2)} times as long`);
}
