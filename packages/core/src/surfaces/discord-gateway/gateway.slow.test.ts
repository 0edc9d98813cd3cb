import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Database, type Leases, migrate, openDatabase, openLeases, sql, systemRandom } from '@latchkey/db';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { type Log, observed } from '@latchkey/kernel';
import { createDiscordGateway } from '@latchkey/platforms/discord';
import { seedNumber, until, volume } from '@latchkey/test-kit';
import { listenToDiscord, type TakeEvent, waitToBegin } from './listen.ts';

const program = fileURLToPath(new URL('test-worker.ts', import.meta.url));
const shardCount = 6;
const lines: string[] = [];
const write = (message: string, fields?: Record<string, unknown>) =>
  void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
const log: Log = { debug: () => undefined, info: () => undefined, warn: write, error: write, for: () => log };

interface TestWorker {
  leases: Leases;
  stop(): Promise<void>;
}

describe('the Discord gateway with several workers', () => {
  let database: TestDatabase;
  let db: Database;
  let emulator: DiscordEmulator;
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  let runsSinceMs: number | undefined;
  const workers = new Set<TestWorker>();
  const guilds: string[] = [];

  before(async () => {
    database = await createTestDatabase({ migrate, name: 'discord_gateway' });
    db = openDatabase({ url: database.url, log, connectTimeoutMs: 120_000, statementTimeoutMs: 120_000 });
    await db.pool.query('create table ledger (guild text, person text, worker text)');
    // A guild's shard follows from the millisecond in which it was created, so the clock is advanced manually.
    emulator = await startDiscordEmulator({
      seed: 'workers',
      clock: () => nowMs + (runsSinceMs === undefined ? 0 : Date.now() - runsSinceMs),
      limits: { shards: shardCount, maxConcurrency: 16 },
    });
    for (let n = 0; n < shardCount; n++) {
      nowMs += 1;
      guilds.push(emulator.createGuild({ name: `Guild ${n}` }).id);
    }
  });
  after(async () => {
    for (const worker of [...workers]) await worker.stop();
    await emulator.stop();
    await db.close();
    await database.drop();
  });

  function startWorker(owner: string, own: Database = db, ttlMs = 3_600_000): TestWorker {
    const leases = openLeases(own, { owner, log, ttlMs });
    const takeEvent: TakeEvent = async (event, finish) => {
      if (event.kind !== 'member-joined') return finish();
      await finish(async (tx) => {
        await sql`insert into ledger values (${event.guildId}, ${event.userName}, ${owner})`.execute(tx);
      });
    };
    const gateway = createDiscordGateway({
      fetch,
      permit: async () => undefined,
      token: emulator.application.token,
      apiUrl: emulator.url,
      log,
      random: systemRandom,
    });
    const options = { gateway, bot: 'bot', reserve: 0.2, leases, takeEvent, checkMs: 50 };
    const listening = listenToDiscord({ clock: () => new Date(), db: own, log, random: systemRandom }, options);
    const worker = {
      leases,
      stop: async () => {
        workers.delete(worker);
        await listening.stop();
        await leases.close();
      },
    };
    workers.add(worker);
    return worker;
  }

  async function shardsOf(owner: string): Promise<number> {
    const { rows } = await db.pool.query<{ n: number }>(
      "select count(*) as n from leases where name like 'discord/bot/shard/%' and owner = $1 and until > clock_timestamp()",
      [owner],
    );
    return rows[0]?.n ?? 0;
  }
  const spread = (...owners: string[]) => Promise.all(owners.map(shardsOf));
  const untilSpread = (expected: Record<string, number>) =>
    until(`shards are spread like ${JSON.stringify(expected)}`, async () => {
      const counts = await spread(...Object.keys(expected));
      return counts.join() === Object.values(expected).join();
    });
  const untilOpen = () =>
    until('every shard is open once', () => emulator.gateway.shards().toSorted().join() === '0,1,2,3,4,5');

  let people = 0;
  /** Adds a user to each guild; then each of them must be in the ledger once. */
  function join(): string[] {
    people += 1;
    const name = `person${people}`;
    for (const guild of guilds) emulator.addMember(guild, { name });
    return [name];
  }
  async function untilProcessedOnce(names: readonly string[]): Promise<void> {
    const count = async () =>
      (await db.pool.query<{ n: number }>('select count(*) as n from ledger where person = any($1)', [names])).rows[0]
        ?.n ?? 0;
    await until(`join events of ${names} are processed`, async () => (await count()) >= names.length * guilds.length);
    const { rows } = await db.pool.query('select guild, person from ledger group by 1, 2 having count(*) > 1');
    assert.deepEqual(rows, [], 'no event was processed twice');
  }

  test('one worker opens all shards, and shares them with workers that join', async () => {
    startWorker('one');
    await untilSpread({ one: 6 });
    await untilOpen();
    await untilProcessedOnce(join());
    const { identified } = emulator.gateway.metrics;
    assert.equal(identified, shardCount);
    startWorker('two');
    startWorker('three');
    const during = join();
    await untilSpread({ one: 2, two: 2, three: 2 });
    await untilOpen();
    await untilProcessedOnce([...during, ...join()]);
    assert.equal(emulator.gateway.metrics.identified, identified, 'shards that moved resumed their sessions');
    assert.equal(emulator.gateway.metrics.refused, 0);
  });

  test('the others take over the shards of a worker that leaves', async () => {
    const leaving = [...workers].find(({ leases }) => leases.owner === 'one');
    const { identified } = emulator.gateway.metrics;
    const names = join();
    await leaving?.stop();
    names.push(...join());
    await untilSpread({ one: 0, two: 3, three: 3 });
    await untilOpen();
    await untilProcessedOnce(names);
    assert.equal(emulator.gateway.metrics.identified, identified);
  });

  test('a worker that loses its database stops, and the others continue from what it saved', async () => {
    const own = openDatabase({ url: database.url, log, connectTimeoutMs: 1_000 });
    const cut = startWorker('cut', own, 1_500);
    await until('it got shards', async () => (await shardsOf('cut')) === 2);
    const names = join();
    await own.close();
    names.push(...join());
    await untilSpread({ cut: 0, two: 3, three: 3 });
    await untilOpen();
    await untilProcessedOnce([...names, ...join()]);
    await cut.stop();
  });

  test('sessions that Discord dropped are started again, one after the other', async () => {
    const { identified } = emulator.gateway.metrics;
    // The workers' rate limits use the database's clock, the emulator uses its own.
    nowMs += 60_000;
    emulator.gateway.forgetSessions();
    emulator.gateway.cut();
    await until('all sessions started again', () => emulator.gateway.metrics.identified === identified + shardCount);
    await untilOpen();
    await untilProcessedOnce(join());
  });

  test('a session waits for its slot, and for enough of the daily session budget', async () => {
    const ended = new AbortController();
    let remaining = 21;
    const gateway = {
      readGatewayInfo: async () => ({
        shards: 2,
        maxConcurrency: 1,
        sessionStarts: { total: 100, remaining, resetAfterMs: -1_000 },
      }),
    };
    const turns = { gateway, bot: 'paced', reserve: 0.2, gapMs: 40 };
    const began: number[] = [];
    const begin = async (shardId: number) => {
      await waitToBegin({ db, log, random: systemRandom }, turns, shardId, ended.signal);
      began.push(shardId);
      remaining -= 1;
    };
    const first = Promise.all([begin(0)]);
    await first;
    const second = begin(1);
    second.catch(() => undefined);
    await until('the operator is notified', () =>
      lines.some((line) => line.includes('LATCHKEY_DISCORD_SESSION_RESERVE')),
    );
    assert.deepEqual(began, [0]);
    remaining = 100;
    await second;
    assert.deepEqual(began, [0, 1]);
    const third = waitToBegin({ db, log, random: systemRandom }, { ...turns, gapMs: 3_600_000 }, 2, ended.signal);
    await third;
    const fourth = waitToBegin({ db, log, random: systemRandom }, { ...turns, gapMs: 3_600_000 }, 3, ended.signal);
    ended.abort();
    await assert.rejects(fourth);
  });

  test('a permanently rejected shard stays closed, and the operator is notified', async () => {
    for (const worker of [...workers]) await worker.stop();
    const stopped = new Map<string, boolean>();
    const end = observed.gatewayStopped.listen(({ shard, code, isStopped }) => {
      stopped.set(`${shard} ${code}`, isStopped);
    });
    const { connected } = emulator.gateway.metrics;
    const behave = emulator.misbehave({ kind: 'close', code: 4014 });
    const worker = startWorker('refused');
    const expected = Array.from({ length: shardCount }, (_, shardId) => `${shardId} 4014`);
    await until('every shard was refused', () => stopped.size === shardCount);
    // Later checks of the worker do not open them again.
    await untilSpread({ refused: 6 });
    let looks = 0;
    const { list } = worker.leases;
    Object.assign(worker.leases, {
      list: (prefix: string) => {
        looks += 1;
        return list.call(worker.leases, prefix);
      },
    });
    await until('the worker checked again, several times', () => looks >= 5);
    assert.equal(emulator.gateway.metrics.connected, connected + shardCount);
    assert.ok(lines.some((line) => line.includes('permanently rejected a shard') && line.includes('4014')));
    await worker.stop();
    behave();
    end();
    assert.deepEqual(
      [...stopped].toSorted(),
      expected.map((shard) => [shard, false]),
    );
  });

  test('workers that are killed at random lose no event and count none twice', async () => {
    for (const worker of [...workers]) await worker.stop();
    await db.pool.query('truncate ledger');
    nowMs += 60_000;
    // A shard that was killed before its session was saved starts a new one, which takes time on the clock.
    runsSinceMs = Date.now();
    const children = new Map<string, ChildProcess>();
    let started = 0;
    const startChild = () => {
      started += 1;
      const owner = `child-${started}`;
      const args = [program, database.url, emulator.url, emulator.application.token, owner];
      children.set(owner, spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
    };
    const kill = async (owner: string) => {
      const child = children.get(owner);
      children.delete(owner);
      if (child === undefined) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      await db.pool.query('update leases set until = clock_timestamp() where owner = $1', [owner]);
    };
    try {
      for (let n = 0; n < 2; n++) startChild();
      await until('every session is saved', async () => {
        const { rows } = await db.pool.query("select 1 from discord_shards where bot = 'killed'");
        return rows.length === shardCount;
      });
      await untilOpen();
      const { identified } = emulator.gateway.metrics;
      let state = seedNumber('killed gateway workers');
      const names: string[] = [];
      for (let round = 0; round < volume(2, 40); round++) {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
        const owners = [...children.keys()];
        names.push(...join());
        await kill(owners[state % owners.length] ?? '');
        names.push(...join());
        startChild();
        await untilProcessedOnce(names);
      }
      await untilOpen();
      assert.equal(emulator.gateway.metrics.identified, identified, 'every shard was resumed');
      assert.equal(emulator.gateway.metrics.refused, 0);
    } finally {
      await Promise.all([...children.keys()].map(kill));
    }
  });
});
