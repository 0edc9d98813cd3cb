import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { bound, until, volume } from '@latchkey/test-kit';
import pg from 'pg';
import { type Call, keepAlive, type Outcome, send, startLoad } from '../harness/load.ts';
import { command, type Environment, freePorts, type LatchkeyProcess, startLatchkey } from '../harness/processes.ts';

interface Part {
  latchkey: LatchkeyProcess;
  url: string;
}

describe('two servers and two workers on one database', () => {
  let database: TestDatabase;
  let environment: Environment;
  let client: pg.Client;
  let servers: [Part, Part];
  let workers: [Part, Part];
  let adminKey: string;
  let agent: ReturnType<typeof keepAlive>;

  async function startPart(part: 'server' | 'worker'): Promise<Part> {
    const latchkey = startLatchkey([part], { ...environment, LATCHKEY_PORT: String(await freePorts()) });
    const [, url = ''] = await latchkey.printed(new RegExp(`"baseUrl":"([^"]+)".*Latchkey ${part} is running`));
    return { latchkey, url };
  }

  before(async () => {
    agent = keepAlive();
    database = await createTestDatabase({ name: 'apart' });
    environment = {
      DATABASE_URL: database.url,
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
      LATCHKEY_ANONYMOUS_RATE: '1000000/1',
    };
    // All at once, on an empty database: they wait until the one step that migrates it is done.
    const [first, second, third, fourth, migrated] = await Promise.all([
      startPart('server'),
      startPart('server'),
      startPart('worker'),
      startPart('worker'),
      command(['migrate'], environment),
    ]);
    assert.match(migrated, /^Applied \d+ migrations\.$/m);
    servers = [first, second];
    workers = [third, fourth];
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    [, adminKey = ''] = /shown only once:\n(\S+)/.exec(await command(['admin-key', 'create'], environment)) ?? [];
  });
  after(async () => {
    await Promise.all([...servers, ...workers].map(({ latchkey }) => latchkey[Symbol.asyncDispose]()));
    agent.destroy();
    await client.end();
    await database.drop();
  });

  const asOperator = (method: string, path: string, json?: unknown) => ({
    method,
    path,
    headers: { 'x-api-key': adminKey },
    ...(json !== undefined && { json }),
  });
  const parse = (outcome: Outcome) => {
    assert.equal(outcome.status, 200, outcome.body);
    return JSON.parse(outcome.body);
  };

  /** Retries as long as the response is "not now", as on a machine that is too busy. */
  const patiently = (server: Part, call: Call): Promise<Outcome> =>
    until(`${call.path} is answered`, async () => {
      const outcome = await send(agent, server.url, call);
      return outcome.status !== 503 && outcome;
    });

  /** Pings until this many processes have replied; on a busy machine one may reply too late to be counted. */
  async function pongsOf(server: Part, processes: number): Promise<string[]> {
    return until(`${processes} processes answer`, async () => {
      const { pongs } = parse(await patiently(server, { method: 'GET', path: '/ping?wait=1' }));
      const answered: string[] = pongs.map((pong: { serverSubType: string }) => pong.serverSubType).sort();
      return answered.length >= processes && answered;
    });
  }

  test('data stored by one server is available on the other', async () => {
    const [one, two] = servers;
    const { slug } = parse(await patiently(one, asOperator('POST', '/states', { from: 'one' })));
    assert.deepEqual(parse(await patiently(two, { method: 'GET', path: `/states/${slug}` })), { from: 'one' });
  });

  test('a request repeated on the other server is answered from the record of the first', async () => {
    const [one, two] = servers;
    const call = asOperator('POST', '/states', { once: true });
    const repeatable = { ...call, headers: { ...call.headers, 'idempotency-key': 'apart-1' } };
    const first = await patiently(one, repeatable);
    const again = await patiently(two, repeatable);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal(parse(again).slug, parse(first).slug);
  });

  test('a ping reaches all four processes', async () => {
    assert.deepEqual(
      await pongsOf(servers[0], 4),
      [...servers, ...workers].map(({ latchkey }, n) => `${n < 2 ? 'apiserver' : 'jobserver'}-${latchkey.pid}`).sort(),
    );
  });

  test('log settings reach the processes they are for, at run time, and each of them answers', async () => {
    /** Sets them, repeatedly until each process has replied in time. */
    const change = (body: object[]): Promise<string[]> =>
      until('all four have answered', async () => {
        const answer = parse(await patiently(servers[1], asOperator('PUT', '/log/settings?wait=10', body)));
        const settings: string[] = answer
          .map((of: Record<string, string>) => `${of.serverType} ${of.logLevel} ${of.debugSettings}`.trim())
          .sort();
        return settings.length >= 4 && settings;
      });
    assert.deepEqual(await change([{ logLevel: 'warn' }]), [
      'APIServer warn',
      'APIServer warn',
      'JobServer warn',
      'JobServer warn',
    ]);
    assert.deepEqual(
      await change([
        { logLevel: 'error', hostNames: ['elsewhere'] },
        { logLevel: 'debug', serverTypes: ['JobServer'], hostNames: [hostname()] },
        { debugSettings: 'http', serverTypes: ['APIServer'] },
      ]),
      ['APIServer warn http', 'APIServer warn http', 'JobServer debug', 'JobServer debug'],
    );
    for (const server of servers) {
      const answers = () => count(server.latchkey, /Request answered/g);
      const already = answers();
      await patiently(server, { method: 'GET', path: '/ping' });
      await until('the answer is logged', () => answers() > already);
    }
  });

  test('a schedule that is due runs once, however many workers there are', async () => {
    await patiently(servers[0], asOperator('PUT', '/log/settings?wait=10', [{ logLevel: 'debug' }]));
    const runs = () =>
      workers.reduce((sum, { latchkey }) => sum + count(latchkey, /Expired credentials were deleted/g), 0);
    const before = runs();
    const rounds = volume(2, 20);
    for (let round = 1; round <= rounds; round += 1) {
      await client.query(
        `update schedules set next_run_at = date_trunc('second', now()) - interval '3 hours' where name = 'credentials.purge'`,
      );
      await until(`the schedule has run ${round} times`, () => runs() >= before + round);
    }
    // A run logs what it did before its job ends.
    await until('the last run has ended', async () => {
      const { rows } = await client.query(
        `select from jobs where name = 'credentials.purge' union all
         select from schedules where name = 'credentials.purge' and next_run_at <= now()`,
      );
      return rows.length === 0;
    });
    assert.equal(runs(), before + rounds);
  });

  test('under load a server that is told to stop answers every accepted request, and ends in time', async (t) => {
    const [leaving, staying] = servers;
    const connections = volume(16, 64);
    const targets = Array.from({ length: connections }, () => leaving);
    const answered = new Map<Part, number>(servers.map((server) => [server, 0]));
    const failures: Outcome[] = [];
    let isToldToStop = false;
    await using load = startLoad(connections, async (loop) => {
      const target = targets[loop] ?? staying;
      const outcome = await send(agent, target.url, asOperator('GET', '/log/settings'));
      if (outcome.status === 200) answered.set(target, (answered.get(target) ?? 0) + 1);
      // The server no longer listens, so nothing was sent: use the next server.
      else if (outcome.failure === 'ECONNREFUSED' && target === leaving) targets[loop] = staying;
      // A machine that is too busy for the load may respond with 503; a stopping server may not.
      else if (outcome.status === 503 && !isToldToStop) return;
      else failures.push(outcome);
    });
    await until('there is load', () => (answered.get(leaving) ?? 0) > connections * 5);
    const slow = send(agent, leaving.url, { method: 'GET', path: '/ping?wait=4' });
    const before = answered.get(leaving) ?? 0;
    await until('the load continues', () => (answered.get(leaving) ?? 0) > before + connections);
    isToldToStop = true;

    const exit = await leaving.latchkey.stop('SIGTERM');
    await until('the other server has the load', () => (answered.get(staying) ?? 0) > connections * 2);
    await load.stop();
    t.diagnostic(`${answered.get(leaving)} answers before the end`);
    await bound(t, 'the end under load', exit.tookMs, 10_000);
    assert.deepEqual(failures, []);
    assert.equal((await slow).status, 200);
    assert.deepEqual({ code: exit.code, signal: exit.signal }, { code: 0, signal: null });
    assert.equal((await pongsOf(staying, 3)).length, 3);
  });

  test('a worker that is told to stop ends in time, and the other one carries on', async (t) => {
    const [leaving, staying] = workers;
    const exit = await leaving.latchkey.stop('SIGTERM');
    assert.equal(exit.code, 0);
    await bound(t, 'the end of a worker', exit.tookMs, 10_000);
    await client.query(
      `insert into jobs (name, payload) select 'states.remove-expired', '{}' from generate_series(1, 50)`,
    );
    await until('all jobs have run', async () => (await client.query('select from jobs')).rowCount === 0);
    assert.equal(staying.latchkey.hasEnded(), false);
  });
});

function count(latchkey: LatchkeyProcess, pattern: RegExp): number {
  return latchkey.stdout().match(pattern)?.length ?? 0;
}
