import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { until } from '@latchkey/test-kit';
import { keepAlive, send } from '../harness/load.ts';
import {
  command,
  type Environment,
  freePorts,
  isAlive,
  type LatchkeyProcess,
  occupyPort,
  runLatchkey,
  startLatchkey,
  statusOf,
} from '../harness/processes.ts';

describe('one server in several processes', () => {
  let database: TestDatabase;
  let environment: Environment;
  let server: LatchkeyProcess;
  let url: string;
  let adminKey: string;

  before(async () => {
    database = await createTestDatabase({ name: 'processes', migrate: true });
    const port = await freePorts();
    url = `http://127.0.0.1:${port}`;
    environment = {
      DATABASE_URL: database.url,
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
      LATCHKEY_ANONYMOUS_RATE: '1000000/1',
      LATCHKEY_PORT: String(port),
    };
    server = startLatchkey(['server', '--processes', '2'], environment);
    await server.printed(/Latchkey server is running in 2 processes/);
    [, adminKey = ''] = /shown only once:\n(\S+)/.exec(await command(['admin-key', 'create'], environment)) ?? [];
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await database.drop();
  });

  /** Returns the pids of the processes that answer pings. */
  async function pids(): Promise<number[]> {
    const answer = await fetch(`${url}/ping?wait=1`).catch(() => undefined);
    if (answer?.status !== 200) return [];
    const { pongs } = (await answer.json()) as { pongs: { serverSubType: string }[] };
    return pongs.map(({ serverSubType }) => Number(serverSubType.split('-').at(-1))).sort();
  }
  const bothAnswer = () =>
    until('two processes answer', async () => {
      const answering = (await pids()).filter(isAlive);
      return answering.length === 2 && answering;
    });

  /** Sends one request on its own connection: connections are distributed in turn. */
  async function ask(path: string): Promise<{ status: number; body: string }> {
    const agent = keepAlive();
    try {
      return await send(agent, url, { method: 'GET', path, headers: { authorization: `Bearer ${adminKey}` } });
    } finally {
      agent.destroy();
    }
  }

  test('both serve the same port, are ready, and are distinguished in the metrics of either', async () => {
    await until('the server is ready', async () => (await statusOf(`${url}/health/ready`)) === 200);
    const answering = await bothAnswer();
    assert.ok(!answering.includes(server.pid));
    for (let count = 0; count < 4; count += 1) await ask('/health/live');
    const { status, body } = await ask('/metrics');
    assert.equal(status, 200, body);
    for (const place of [1, 2])
      assert.match(body, new RegExp(`latchkey_http_requests_total\\{[^}]*/health/live[^}]*process="${place}"`));
    assert.equal(body.match(/^# TYPE latchkey_jobs gauge$/gm)?.length, 1);
    assert.equal(body.match(/^# TYPE latchkey_http_requests_total counter$/gm)?.length, 1);
  });

  test('one that is killed is replaced, and every request that the others take is answered', async () => {
    const [killed = 0, survivor = 0] = await bothAnswer();
    process.kill(killed, 'SIGKILL');
    await until('its end is in the log', () => /exited unexpectedly; starting a replacement/.test(server.stdout()));
    const outcomes: number[] = [];
    const answering = await until('another answers in its place', async () => {
      outcomes.push((await ask('/health/live')).status);
      const living = (await pids()).filter(isAlive);
      return living.length === 2 && living;
    });
    assert.ok(answering.includes(survivor) && !answering.includes(killed));
    assert.deepEqual([...new Set(outcomes)], [200]);
  });

  test('told to stop, the parent ends all of them and leaves no process', async () => {
    const answering = await bothAnswer();
    const { code } = await server.stop();
    assert.equal(code, 0, server.stdout() + server.stderr());
    assert.deepEqual(answering.filter(isAlive), []);
    assert.equal(await statusOf(`${url}/health/live`), 0);
  });

  test('they end when the parent is killed', async () => {
    await using orphaned = startLatchkey(['server', '--processes', '2'], environment);
    await orphaned.printed(/Latchkey server is running in 2 processes/);
    const answering = await bothAnswer();
    orphaned.signal('SIGKILL');
    await until('all have ended', () => !answering.some(isAlive));
  });

  test('a failed start is reported once and ends all', async () => {
    await using taken = await occupyPort(await freePorts());
    const { code, stderr } = await runLatchkey(['server', '--processes', '3'], {
      ...environment,
      LATCHKEY_PORT: String(taken.port),
    });
    assert.equal(code, 1);
    assert.equal(stderr.match(/is in use by another program/g)?.length, 1, stderr);
    assert.match(stderr, /exited before all of them were ready/);
  });
});
