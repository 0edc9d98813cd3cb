import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { seed, until, volume } from '@latchkey/test-kit';
import pg from 'pg';
import { throwDice } from '../harness/dice.ts';
import { megabytesOf } from '../harness/memory.ts';
import { type Environment, freePorts, type LatchkeyProcess, startLatchkey } from '../harness/processes.ts';

/** A round is what a mid-sized community does in a quarter of a minute; the deep run has an hour of them. */
const rounds = volume(3, 240);
const actionsPerRound = 30;
/** The first rounds fill caches and pools; growth is measured from here. */
const warmRounds = volume(1, 40);
const mostGrowth = 1.1;
const databaseConnections = 5;

interface Metrics {
  megabytes: number;
  handles: number;
}

describe('a server and a worker under mixed load', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  let database: TestDatabase;
  let emulator: TelegramEmulator;
  let client: pg.Client;
  let server: LatchkeyProcess;
  let worker: LatchkeyProcess;
  let url: string;
  before(async () => {
    database = await createTestDatabase({ name: 'soak', migrate: true });
    emulator = await startTelegramEmulator({ limits: { overall: { limit: 100_000, windowSeconds: 1 } } });
    const port = await freePorts();
    url = `http://localhost:${port}`;
    const environment: Environment = {
      NODE_ENV: 'production',
      // Memory for garbage grows with the load; kept small, so that growth shows retained memory.
      NODE_OPTIONS: '--max-semi-space-size=2',
      DATABASE_URL: database.url,
      LATCHKEY_BASE_URL: url,
      LATCHKEY_DATABASE_CONNECTIONS: String(databaseConnections),
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64')}`,
      LATCHKEY_TELEGRAM_BOT_TOKEN: emulator.bot.token,
      LATCHKEY_TELEGRAM_API_URL: emulator.url,
    };
    server = startLatchkey(['server'], { ...environment, LATCHKEY_PORT: String(port) });
    await server.printed(/Latchkey server is running/);
    worker = startLatchkey(['worker'], { ...environment, LATCHKEY_PORT: String(await freePorts()) });
    await worker.printed(/Latchkey worker is running/);
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
  });
  after(async () => {
    await Promise.all([server, worker].map((process) => process[Symbol.asyncDispose]()));
    await client.end();
    await emulator.stop();
    await database.drop();
  });

  test('keeps its memory, its connections, its queue and its handles', async (t) => {
    const dice = throwDice(seed('soak'));
    const group = emulator.createGroup({ title: 'Cat Club' });
    const id = `TEL#COMM#${group.id}`;
    const count = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows[0]?.n;
    await until('the community is known', () => count('select 1 as n from communities where id = $1', [id]));
    const people = Array.from({ length: 20 }, (_, index) => emulator.createUser(`Person ${index}`).id);
    for (const person of people) emulator.addMember(group.id, person);

    let reply = 0;
    const act: (() => unknown)[] = [
      () => {
        emulator.speak(dice.pick(people), group.id, `message ${reply}`);
        reply += 1;
      },
      () => void emulator.speakToBot(dice.pick(people), '/connect'),
      async () => (await fetch(`${url}/ping`)).text(),
      async () => (await fetch(`${url}/openapi.json`)).arrayBuffer(),
      async () => (await fetch(`${url}/user`)).text(),
    ];
    const waiting = () =>
      count(`select count(*)::int as n from jobs where state in ('ready', 'running') and run_at <= now()`);
    const warm: Record<string, Metrics> = {};
    let mostConnections = 0;
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(Array.from({ length: actionsPerRound }, () => dice.pick(act)()));
      const connections = await count(
        `select count(*)::int as n from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      mostConnections = Math.max(mostConnections, connections);
      await until('nothing waits', async () => (await waiting()) === 0);
      if (round === warmRounds) for (const [name, { pid }] of watched()) warm[name] = await metricsOf(pid);
    }
    const received = () =>
      count(
        `select coalesce(sum(count), 0)::int as n from community_interactions where community_id = $1 and kind = 'message'`,
        [id],
      );
    await until('every message was received', async () => (await received()) >= reply);
    assert.equal(await received(), reply);
    assert.deepEqual((await client.query(`select name from jobs where state = 'dead'`)).rows, []);
    // Per process: the pool, that of tenants, the bus and the connections for leases.
    const allowed = 2 * (2 * databaseConnections + 3);
    assert.ok(mostConnections <= allowed, `${mostConnections} connections of ${allowed}`);
    for (const [name, { pid }] of watched()) {
      const [from, to] = [warm[name] ?? { megabytes: 0, handles: 0 }, await metricsOf(pid)];
      t.diagnostic(
        `${name}: ${from.megabytes} MB, then ${to.megabytes}; ${from.handles} handles, then ${to.handles}; ` +
          `${mostConnections} connections; ${rounds} rounds`,
      );
      // Sockets of finished requests may still be open; a leak of one per round would be more.
      assert.ok(to.handles <= from.handles + 20, `${name}: ${from.handles} handles became ${to.handles}`);
      // A few rounds show no growth: V8 takes memory while there is some.
      if (rounds > 100)
        assert.ok(to.megabytes <= from.megabytes * mostGrowth, `${name}: ${from.megabytes} MB became ${to.megabytes}`);
    }
  });

  const watched = (): [name: string, process: LatchkeyProcess][] => [
    ['server', server],
    ['worker', worker],
  ];
});

async function metricsOf(pid: number): Promise<Metrics> {
  return { megabytes: Math.round(await megabytesOf(pid)), handles: (await readdir(`/proc/${pid}/fd`)).length };
}
