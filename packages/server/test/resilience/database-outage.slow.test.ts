import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, isUnavailable, migrate, openDatabase, sql, tenantUrlOf } from '@latchkey/db';
import { type PrivateCluster, queryOnce, withCluster } from '@latchkey/db/testing';
import { bound, until, volume } from '@latchkey/test-kit';
import type pg from 'pg';
import { createLog } from '../../src/log.ts';
import { startCommandLine } from '../harness/command-line.ts';
import { keepAlive, type Outcome, send, startLoad } from '../harness/load.ts';
import { type Environment, freePorts, type LatchkeyProcess, startLatchkey } from '../harness/processes.ts';

const loops = volume(8, 16);
const jobs = volume(100, 500);
const outageSeconds = volume(1, 60);
const checksPerSecond = 10;
const longestAnswerMs = 5_000;
const backWithinMs = 5_000;

/** Every response while the database comes and goes: success, or "not now" in the error shape. Nothing else. */
function checkOutcome(outcome: Outcome): void {
  if (outcome.status === 200) return;
  assert.equal(outcome.status, 503, `${outcome.failure ?? ''}${outcome.body}`);
  assert.match(String(outcome.headers['retry-after']), /^[1-9]\d*$/);
  const { error } = JSON.parse(outcome.body);
  assert.equal(error.code, 'UNAVAILABLE');
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'name', 'statusCode']);
}

/** A server and a worker on their own database, with two applications that write. */
class World implements AsyncDisposable {
  readonly agent = keepAlive();
  readonly cluster: PrivateCluster;
  readonly server: LatchkeyProcess;
  readonly worker: LatchkeyProcess;
  readonly environment: Environment;
  url = '';
  keys = { plain: '', repeating: '' };
  ids = { plain: '', repeating: '' };
  /** What was acknowledged: the slug of a state, and its content. */
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
    await using commandLine = startCommandLine();
    for (const kind of ['plain', 'repeating'] as const) {
      const { stdout } = await commandLine.run(['dev-app', kind], this.environment);
      [, this.ids[kind] = '', this.keys[kind] = ''] = /application (\S+) is .*:\n(\S+)/.exec(stdout) ?? [];
    }
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return queryOnce<Row>(this.cluster.url, text, values);
  }

  get(path: string): Promise<Outcome> {
    return send(this.agent, this.url, { method: 'GET', path });
  }

  /** Retries as long as the response is "not now", as on a machine that is too busy. */
  patientGet(path: string): Promise<Outcome> {
    return until(`${path} is answered`, async () => {
      const outcome = await this.get(path);
      return outcome.status !== 503 && outcome;
    });
  }

  /** Stores a state; true if that was acknowledged. */
  async write(kind: 'plain' | 'repeating', name: string): Promise<boolean> {
    const outcome = await send(this.agent, this.url, {
      method: 'POST',
      path: '/states',
      headers: { 'x-api-key': this.keys[kind], ...(kind === 'repeating' && { 'idempotency-key': name }) },
      json: { name },
    });
    this.outcomes.push(outcome);
    checkOutcome(outcome);
    if (outcome.status === 200) this.acknowledged[kind].set(JSON.parse(outcome.body).slug, name);
    return outcome.status === 200;
  }

  /** Writes continuously. After a refused write one caller gives up; the other retries until it is acknowledged. */
  startWriting() {
    return startLoad(loops, async (loop, turn) => {
      const name = `${this.#round}/${loop}/${turn}`;
      if (loop % 2 === 1) await until(`${name} is written`, () => this.write('repeating', name));
      else if (!(await this.write('plain', name))) await delay(20);
    });
  }

  /** Resets the counts; what was acknowledged must still exist at the end. */
  forget(): void {
    this.#round += 1;
    this.outcomes = [];
  }

  count(status: number): number {
    return this.outcomes.filter((outcome) => outcome.status === status).length;
  }

  /** For at least this long, and at least once, the server is live and not ready. */
  async isUnavailable(seconds: number): Promise<void> {
    for (let look = 0; look <= seconds * checksPerSecond; look += 1) {
      assert.equal((await this.get('/health/live')).status, 200);
      const ready = await this.get('/health/ready');
      checkOutcome(ready);
      assert.equal(ready.status, 503);
      await delay(1000 / checksPerSecond);
    }
  }

  /** Returns how long it takes until writes are acknowledged and the server is ready. */
  async back(): Promise<number> {
    const since = performance.now();
    const before = this.count(200);
    await until('writes are acknowledged', () => this.count(200) >= before + loops);
    await until('the server is ready', async () => (await this.get('/health/ready')).status === 200);
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
      const outcome = await world.patientGet(`/states/${slug}`);
      assert.equal(outcome.status, 200, `${name} was acknowledged and is gone: ${outcome.body}`);
      assert.equal(JSON.parse(outcome.body).name, name);
    });
    await until('everything is read', () => left.length === 0);
    await read.stop();
  }
  const [row] = await world.query<{ kept: number }>('select count(*)::int as kept from slugs where owner_id like $1', [
    `%${world.ids.repeating}`,
  ]);
  assert.equal(row?.kept, world.acknowledged.repeating.size, 'a repeated request had its effect twice');
}

const faults = [
  { name: 'a fast restart', mode: 'fast', downSeconds: 0 },
  { name: 'an immediate restart', mode: 'immediate', downSeconds: 0 },
  { name: 'a long outage', mode: 'fast', downSeconds: outageSeconds },
] as const;

test('a server and a worker survive a database outage', async (t) => {
  await withCluster(async (cluster) => {
    await migrate(cluster.url);
    await using world = new World(cluster, await freePorts());
    await world.begin();
    for (const { name, mode, downSeconds } of faults) {
      await t.test(`${name} causes 503 responses and nothing else`, async (subtest) => {
        world.forget();
        await world.query(
          `insert into jobs (name, payload) select 'states.remove-expired', '{}' from generate_series(1, $1)`,
          [jobs],
        );
        await using writing = world.startWriting();
        await until('there is load', () => world.count(200) > loops * 10);
        await cluster.stop(mode);
        await until('the outage has an effect', () => world.count(503) > loops);
        await world.isUnavailable(downSeconds);
        await cluster.start();
        const backMs = await world.back();
        await until('the load continues', () => world.count(200) > loops * 20);
        await writing.stop();

        const slowestMs = Math.max(...world.outcomes.map((outcome) => outcome.tookMs));
        subtest.diagnostic(`${world.count(200)} done, ${world.count(503)} refused`);
        await bound(subtest, 'the slowest answer', slowestMs, longestAnswerMs);
        await bound(subtest, 'the return of the server', backMs, backWithinMs);
        await nothingIsLost(world);
        await until('the jobs have run', async () => (await world.query('select from jobs')).length === 0);
      });
    }
    await t.test('both are still the same processes, and receive each other’s messages', async () => {
      const pongs = await until('both have answered', async () => {
        const received = JSON.parse((await world.get('/ping?wait=1')).body).pongs;
        return received?.length >= 2 && received;
      });
      assert.equal(pongs.length, 2);
    });
    await t.test('told to stop while the database is down, both still end cleanly and in time', async (subtest) => {
      await cluster.stop('immediate');
      await world.isUnavailable(0);
      for (const latchkey of [world.server, world.worker]) {
        const exit = await latchkey.stop();
        assert.equal(exit.code, 0, latchkey.stdout());
        await bound(subtest, 'the end', exit.tookMs, 10_000);
        assert.equal(latchkey.stderr(), '');
      }
    });
    await t.test('a frozen database counts as down, and is used again when it resumes', async (subtest) => {
      await cluster.start();
      await thaws(subtest, cluster);
    });
  });
});

async function thaws(t: TestContext, cluster: PrivateCluster): Promise<void> {
  await using db = openDatabaseFor(cluster);
  const answers = () =>
    sql`select 1`.execute(db.system).then(
      () => true,
      () => false,
    );
  await until('the database answers', answers);
  const rows = await until('its processes are known', () =>
    db.pool
      .query<{ pid: number }>('select pid from pg_stat_activity')
      .then((answer) => answer.rows)
      .catch(() => undefined),
  );
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
    await bound(t, 'the refusal', performance.now() - since, longestAnswerMs);
  } finally {
    for (const pid of everyone) process.kill(pid, 'SIGCONT');
  }
  const since = performance.now();
  await until('the database answers again', answers);
  await bound(t, 'the return of the database', performance.now() - since, backWithinMs);
}

function openDatabaseFor(cluster: PrivateCluster): Database & AsyncDisposable {
  const log = createLog({ logLevel: 'error', debugSettings: '' }, { write: () => undefined });
  const patience = { statementTimeoutMs: 500, connectTimeoutMs: 500 };
  const db = openDatabase({ url: cluster.url, tenantUrl: tenantUrlOf(cluster.url), log, ...patience });
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}
