import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, isUnavailable, openDatabase, sql } from '@latchkey/db';
import { type PrivateCluster, withCluster } from '@latchkey/db/testing';
import pg from 'pg';
import { createLog } from '../../src/log.ts';
import { keepAlive, type Outcome, send, startLoad } from '../harness/load.ts';
import {
  command,
  type Environment,
  freePorts,
  type LatchkeyProcess,
  startLatchkey,
  until,
} from '../harness/processes.ts';

const loops = 16;
const outageMs = 10_000;
const longestAnswerMs = 5_000;
const backWithinMs = 5_000;

/** Every answer while the database comes and goes: done, or "not now" in the error shape. Nothing else, and no silence. */
function judge(outcome: Outcome): void {
  assert.ok(outcome.tookMs < longestAnswerMs, `an answer took ${outcome.tookMs} ms`);
  if (outcome.status === 200) return;
  assert.equal(outcome.status, 503, `${outcome.failure ?? ''}${outcome.body}`);
  assert.match(String(outcome.headers['retry-after']), /^[1-9]\d*$/);
  const { error } = JSON.parse(outcome.body);
  assert.equal(error.code, 'UNAVAILABLE');
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'name', 'statusCode']);
}

/** A server and a worker on a database of their own, with two applications that write. */
class World implements AsyncDisposable {
  readonly agent = keepAlive();
  readonly cluster: PrivateCluster;
  readonly server: LatchkeyProcess;
  readonly worker: LatchkeyProcess;
  readonly environment: Environment;
  url = '';
  keys = { plain: '', repeating: '' };
  ids = { plain: '', repeating: '' };
  /** What was acknowledged: the slug of a state, and what it must hold. */
  readonly acknowledged = { plain: new Map<string, string>(), repeating: new Map<string, string>() };
  outcomes: Outcome[] = [];
  #round = 0;

  constructor(cluster: PrivateCluster, port: number) {
    this.cluster = cluster;
    this.environment = {
      DATABASE_URL: cluster.url,
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64')}`,
      LATCHKEY_PORT: String(port),
      LATCHKEY_ANONYMOUS_RATE: '1000000/1',
    };
    this.server = startLatchkey(['server'], this.environment);
    this.worker = startLatchkey(['worker'], this.environment);
  }

  async begin(): Promise<void> {
    [, this.url = ''] = await this.server.printed(/"baseUrl":"([^"]+)".*server is running/);
    await this.worker.printed(/worker is running/);
    // The free plan's limits would throttle the load.
    await this.query(`update plans set rate_limits = '[]'`);
    await Promise.all(
      (['plain', 'repeating'] as const).map(async (kind) => {
        const said = await command(['dev-app', kind], this.environment);
        [, this.ids[kind] = '', this.keys[kind] = ''] = /application (\S+) is .*:\n(\S+)/.exec(said) ?? [];
      }),
    );
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.cluster.url, options: '-c latchkey.tenant=*' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  get(path: string): Promise<Outcome> {
    return send(this.agent, this.url, { method: 'GET', path });
  }

  /** Keeps a state; true when that was acknowledged. */
  async write(kind: 'plain' | 'repeating', name: string): Promise<boolean> {
    const outcome = await send(this.agent, this.url, {
      method: 'POST',
      path: '/states',
      headers: { 'x-api-key': this.keys[kind], ...(kind === 'repeating' && { 'idempotency-key': name }) },
      json: { name },
    });
    this.outcomes.push(outcome);
    judge(outcome);
    if (outcome.status === 200) this.acknowledged[kind].set(JSON.parse(outcome.body).slug, name);
    return outcome.status === 200;
  }

  /** Writes without end. Of a refused write one caller gives up; the other sends it again until it is acknowledged. */
  startWriting() {
    return startLoad(loops, async (loop, turn) => {
      const name = `${this.#round}/${loop}/${turn}`;
      if (loop % 2 === 1) await until(() => this.write('repeating', name), 120_000);
      else if (!(await this.write('plain', name))) await delay(20);
    });
  }

  /** Begins to count anew; what was acknowledged must still be there at the end. */
  forget(): void {
    this.#round += 1;
    this.outcomes = [];
  }

  count(status: number): number {
    return this.outcomes.filter((outcome) => outcome.status === status).length;
  }

  /** For this long, and at least once, the server says that it lives and is not ready. */
  async isUnavailable(forMs: number): Promise<void> {
    const end = performance.now() + forMs;
    do {
      assert.equal((await this.get('/health/live')).status, 200);
      const ready = await this.get('/health/ready');
      judge(ready);
      assert.equal(ready.status, 503);
      await delay(100);
    } while (performance.now() < end);
  }

  /** How long it took from now until writes are acknowledged and the server says that it is ready. */
  async back(): Promise<number> {
    const since = performance.now();
    const before = this.count(200);
    await until(() => this.count(200) >= before + loops);
    await until(async () => (await this.get('/health/ready')).status === 200);
    return performance.now() - since;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.destroy();
    await Promise.all([this.server[Symbol.asyncDispose](), this.worker[Symbol.asyncDispose]()]);
  }
}

async function nothingIsLost(world: World): Promise<void> {
  for (const acknowledged of Object.values(world.acknowledged)) {
    const left = [...acknowledged];
    const read = startLoad(loops, async () => {
      const [slug, name] = left.pop() ?? [];
      if (slug === undefined) return void (await delay(1));
      const outcome = await world.get(`/states/${slug}`);
      assert.equal(outcome.status, 200, `${name} was acknowledged and is gone: ${outcome.body}`);
      assert.equal(JSON.parse(outcome.body).name, name);
    });
    await until(() => left.length === 0, 60_000);
    await read.stop();
  }
  const [row] = await world.query<{ kept: number }>('select count(*)::int as kept from slugs where owner_id like $1', [
    `%${world.ids.repeating}`,
  ]);
  assert.equal(row?.kept, world.acknowledged.repeating.size, 'a repeated request had its effect twice');
}

const faults = [
  { name: 'a fast restart', mode: 'fast', downMs: 0 },
  { name: 'an immediate restart', mode: 'immediate', downMs: 0 },
  { name: 'a long outage', mode: 'fast', downMs: outageMs },
] as const;

test('a server and a worker outlive their database', async (t) => {
  await withCluster(async (cluster) => {
    await using world = new World(cluster, await freePorts());
    await world.begin();
    for (const { name, mode, downMs } of faults) {
      await t.test(`${name} costs answers of 503 and nothing else`, async (subtest) => {
        world.forget();
        await world.query(
          `insert into jobs (name, payload) select 'states.remove-expired', '{}' from generate_series(1, 500)`,
        );
        await using writing = world.startWriting();
        await until(() => world.count(200) > loops * 10);
        await cluster.stop(mode);
        await until(() => world.count(503) > loops);
        await world.isUnavailable(downMs);
        await cluster.start();
        const backMs = await world.back();
        await until(() => world.count(200) > loops * 20);
        await writing.stop();

        const slowestMs = Math.max(...world.outcomes.map((outcome) => outcome.tookMs));
        subtest.diagnostic(
          `${world.count(200)} done, ${world.count(503)} refused, slowest ${Math.round(slowestMs)} ms, back after ${Math.round(backMs)} ms`,
        );
        assert.ok(backMs < backWithinMs, `it took ${backMs} ms`);
        await nothingIsLost(world);
        await until(async () => (await world.query('select from jobs')).length === 0, 10_000);
      });
    }
    await t.test('both are still the same processes, and hear each other', async () => {
      let heard = 0;
      await until(async () => {
        heard = JSON.parse((await world.get('/ping?wait=1')).body).pongs.length;
        return heard >= 2;
      });
      assert.equal(heard, 2);
    });
    await t.test('told to stop while the database is away, both still end in good order and in time', async () => {
      await cluster.stop('immediate');
      await world.isUnavailable(0);
      for (const latchkey of [world.server, world.worker]) {
        const exit = await latchkey.stop();
        assert.equal(exit.code, 0, latchkey.stdout());
        assert.ok(exit.tookMs < 10_000, `it took ${exit.tookMs} ms`);
        assert.equal(latchkey.stderr(), '');
      }
    });
  });
});

test('a database that is frozen and closes nothing counts as away, and is used again when it thaws', async () => {
  await withCluster(async (cluster) => {
    await using db = openDatabaseFor(cluster);
    await db.pool.query('select 1');
    const { rows } = await db.pool.query<{ pid: number }>('select pid from pg_stat_activity');
    const everyone = [cluster.pid, ...rows.map((row) => row.pid)];
    for (const pid of everyone) process.kill(pid, 'SIGSTOP');
    try {
      const since = performance.now();
      await Promise.all([
        assert.rejects(db.pool.query('select 1'), isUnavailable),
        assert.rejects(sql`select 1`.execute(db.system), isUnavailable),
        assert.rejects(
          db.transaction({ owner: 'alice' }, (tx) => sql`select 1`.execute(tx)),
          isUnavailable,
        ),
      ]);
      assert.ok(performance.now() - since < longestAnswerMs);
    } finally {
      for (const pid of everyone) process.kill(pid, 'SIGCONT');
    }
    await until(
      () =>
        db.pool.query('select 1').then(
          () => true,
          () => false,
        ),
      backWithinMs,
    );
    assert.equal((await sql`select 1 as n`.execute(db.system)).rows.length, 1);
  });
});

function openDatabaseFor(cluster: PrivateCluster): Database & AsyncDisposable {
  const log = createLog({ logLevel: 'error', debugSettings: '' }, { write: () => undefined });
  const db = openDatabase({ url: cluster.url, log, statementTimeoutMs: 500, connectTimeoutMs: 500 });
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}
