import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bound, until } from '@latchkey/test-kit';
import { keepAlive, send } from '../harness/load.ts';
import {
  type DataFolder,
  type Environment,
  freePorts,
  isAlive,
  type LatchkeyProcess,
  makeDataFolder,
  startLatchkey,
} from '../harness/processes.ts';
import { environmentFor, urlOf } from '../harness/whole-latchkey.ts';

/** Loads planted hangs: a request to /planted/hang, or SIGUSR2, blocks the event loop forever. */
const planted: Environment = {
  NODE_OPTIONS: `--import=${new URL('../harness/plant-hangs.mjs', import.meta.url).href}`,
};
const endWithinMs = 10_000;
/** The pause between two requests of a client. */
const pauseMs = 20;

interface WatchdogLine {
  part: string;
  process: string;
  pid: number;
  children?: number[];
}

function watchdogLines(latchkey: LatchkeyProcess): WatchdogLine[] {
  return latchkey
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"part":"watchdog"'))
    .map((line) => JSON.parse(line) as WatchdogLine);
}

function hangsCounted(folder: DataFolder): Record<string, number> {
  const files = globSync('hangs/*.json', { cwd: folder.path });
  const counts = files.map((file) => [file, JSON.parse(readFileSync(join(folder.path, file), 'utf8')).count] as const);
  return Object.fromEntries(counts);
}

describe('a server of several processes, one of which hangs', () => {
  let folder: DataFolder;
  let server: LatchkeyProcess;
  let url: string;
  let metricsUrl: string;
  let postgres: number | undefined;

  before(async () => {
    folder = await makeDataFolder();
    const [port, metricsPort] = [await freePorts(), await freePorts()];
    url = `http://127.0.0.1:${port}`;
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    server = startLatchkey(['server', '--processes', '2'], {
      ...planted,
      LATCHKEY_DATA_DIR: folder.path,
      LATCHKEY_PORT: String(port),
      LATCHKEY_METRICS_PORT: String(metricsPort),
      LATCHKEY_ANONYMOUS_RATE: '1000000/1',
      LATCHKEY_HANG_SECONDS: '2',
    });
    await server.printed(/Latchkey server is running in 2 processes/);
    postgres = await folder.postgresPid();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const bothAnswer = () =>
    until('two processes answer', async () => {
      const answer = await fetch(`${url}/ping?wait=1`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
      if (answer?.status !== 200) return false;
      const { pongs } = (await answer.json()) as { pongs: { serverSubType: string }[] };
      const pids = pongs.map(({ serverSubType }) => Number(serverSubType.split('-').at(-1))).filter(isAlive);
      return pids.length === 2 && pids;
    });

  /** Sends one request on its own connection. Returns the status, or why there is none. */
  async function ask(path: string): Promise<{ status: number | string; body: string }> {
    const agent = keepAlive();
    try {
      return await send(agent, url, { method: 'GET', path, headers: {} });
    } catch (error) {
      return { status: String((error as NodeJS.ErrnoException).code), body: '' };
    } finally {
      agent.destroy();
    }
  }

  test('the others answer everything meanwhile, it is replaced, and the log and the metrics say so', async (t) => {
    const before = await bothAnswer();
    const hung = ask('/planted/hang');
    await server.printed(/The planted hang begins/);
    const isReplaced = () => /hung and was killed by its watchdog; starting a replacement/.test(server.stdout());
    // One connection goes to the process that hangs, and to another when that is gone; the other client continues.
    const client = async () => {
      const statuses: (number | string)[] = [];
      while (!isReplaced() && !server.hasEnded()) {
        statuses.push((await ask('/health/live')).status);
        await delay(pauseMs);
      }
      return statuses;
    };
    const statuses = (await Promise.all([client(), client()])).flat();
    t.diagnostic(`${statuses.length} requests answered while a process hung`);
    assert.ok(statuses.length >= 10);
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.notEqual((await hung).status, 200);

    const [line] = watchdogLines(server);
    assert.ok(line !== undefined && before.includes(line.pid), server.stdout());
    assert.equal(line.process, 'server');
    assert.equal(line.children, undefined);
    const now = await bothAnswer();
    assert.equal(now.filter((pid) => before.includes(pid)).length, 1);
    assert.ok(!now.includes(line.pid));
    assert.equal(await folder.postgresPid(), postgres);
    const countedHangs = async () => {
      const metrics = await (await fetch(metricsUrl)).text();
      return [...metrics.matchAll(/^latchkey_process_hangs_total\{kind="server".*\} (\d)$/gm)].map(
        ([, count]) => count,
      );
    };
    // A process that has just started is included once it has reported that it serves.
    const counts = await until('both are in the metrics', async () => {
      const found = await countedHangs();
      return found.length === 2 && found;
    });
    assert.deepEqual(counts.toSorted(), ['0', '1']);
  });

  test('a process that was suspended as long, or that computes for long and yields, is not ended', async () => {
    const [stopped = 0, hanging = 0] = await bothAnswer();
    process.kill(stopped, 'SIGSTOP');
    process.kill(hanging, 'SIGUSR2');
    // By then the other has been stopped for longer than a process may hang.
    await until('the one that hangs is ended', () => watchdogLines(server).some(({ pid }) => pid === hanging));
    process.kill(stopped, 'SIGCONT');
    assert.ok((await bothAnswer()).includes(stopped));

    const { pid } = JSON.parse((await ask('/planted/busy/3')).body) as { pid: number };
    assert.ok(isAlive(pid));
    assert.equal(watchdogLines(server).length, 2, server.stdout());
  });

  test('a database that exits is restarted by the supervisor alone', async () => {
    await bothAnswer();
    const exited = postgres;
    if (exited !== undefined) process.kill(exited, 'SIGINT');
    postgres = await until('the database runs again', async () => {
      const pid = await folder.postgresPid();
      return pid !== exited && pid;
    });
    // Connections are distributed in turn, and each of these requests takes longer than the interval of a process's
    // checks.
    for (const { body } of await Promise.all([ask('/planted/busy/1'), ask('/planted/busy/1')]))
      assert.ok(isAlive((JSON.parse(body) as { pid: number }).pid));
    const restarts = server.stdout().split('The embedded PostgreSQL exited unexpectedly').length - 1;
    assert.equal(restarts, 1, server.stdout());
  });

  test('a supervisor that hangs ends with the processes it started and with the database', async () => {
    const answering = await bothAnswer();
    server.signal('SIGUSR2');
    assert.equal((await server.ended()).signal, 'SIGALRM');
    await until('the database has ended', async () => (await folder.postgresPid()) === undefined);
    await until('its processes have ended', () => !answering.some(isAlive));
    const line = watchdogLines(server).find(({ process }) => process === 'supervisor');
    assert.deepEqual(line?.children, [postgres], server.stdout());
    assert.equal(hangsCounted(folder)['hangs/supervisor.json'], 1);
  });
});

test('SIGTERM ends a Latchkey whose event loop is blocked', async (t) => {
  await using folder = await makeDataFolder();
  await t.test('a whole one, with its database and its signer', (subtest) => endsWhole(subtest, folder));
  await t.test('a signer alone, on the same database', () => endsSigner(folder));
});

async function endsWhole(t: TestContext, folder: DataFolder): Promise<void> {
  await using latchkey = startLatchkey(['start'], { ...(await environmentFor(folder)), ...planted });
  await urlOf(latchkey);
  const postgres = await folder.postgresPid();
  latchkey.signal('SIGUSR2');
  const exit = await latchkey.stop('SIGTERM');
  assert.equal(exit.signal, 'SIGALRM', latchkey.stdout());
  await bound(t, 'the end of a process that hangs', exit.tookMs, endWithinMs);
  assert.equal(await folder.postgresPid(), undefined);
  const [line] = watchdogLines(latchkey);
  assert.equal(line?.process, 'whole');
  const children = line?.children ?? [];
  assert.equal(children.length, 2);
  assert.ok(children.includes(postgres ?? 0));
  await until('the signer has ended', () => !children.some(isAlive));
  assert.deepEqual(hangsCounted(folder), { 'hangs/whole.json': 1 });
}

async function endsSigner(folder: DataFolder): Promise<void> {
  const environment = { ...planted, LATCHKEY_DATA_DIR: folder.path, LATCHKEY_HANG_SECONDS: '2' };
  await using signer = startLatchkey(['signer'], environment);
  await signer.printed(/Latchkey signer is running/);
  signer.signal('SIGUSR2');
  assert.equal((await signer.stop('SIGTERM')).signal, 'SIGALRM');
  assert.equal(await folder.postgresPid(), undefined);
  assert.equal(watchdogLines(signer)[0]?.process, 'signer');
}
