import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type DataFolder,
  type Environment,
  freePorts,
  isAlive,
  type LatchkeyProcess,
  makeDataFolder,
  runLatchkey,
  startLatchkey,
  statusOf,
  until,
} from '../harness/processes.ts';

const stopWithinMs = 10_000;

/** No mail catcher, so that only the tests about it need its ports. */
async function environmentFor(folder: DataFolder): Promise<Environment> {
  return {
    LATCHKEY_DATA_DIR: folder.path,
    LATCHKEY_PORT: String(await freePorts()),
    LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9',
  };
}

async function urlOf(latchkey: LatchkeyProcess): Promise<string> {
  const [, url = ''] = await latchkey.printed(/API +(http:\S+)/);
  await latchkey.printed(/Ctrl-C stops everything/);
  return url;
}

async function stopsCleanly(latchkey: LatchkeyProcess, folder: DataFolder, signal: NodeJS.Signals): Promise<void> {
  const exit = await latchkey.stop(signal);
  assert.deepEqual({ code: exit.code, signal: exit.signal }, { code: 0, signal: null }, latchkey.stderr());
  assert.ok(exit.tookMs < stopWithinMs, `stopping took ${exit.tookMs} ms`);
  await isAtRest(folder);
}

/** Nothing runs, and nothing is left that would tell the next start otherwise. */
async function isAtRest(folder: DataFolder): Promise<void> {
  assert.equal(await folder.postgresPid(), undefined);
  assert.deepEqual((await readdir(folder.path)).sort(), ['master-keys', 'postgres', 'signer-keys']);
  assert.deepEqual((await readdir(join(folder.path, 'postgres'))).sort(), ['cluster', 'postgres.log', 'socket']);
  assert.deepEqual(await readdir(join(folder.path, 'postgres', 'socket')), []);
  assert.ok(!(await readdir(join(folder.path, 'postgres', 'cluster'))).includes('postmaster.pid'));
}

test('in an empty folder everything starts, and Ctrl-C stops it; the operator’s key is shown once', async () => {
  await using folder = await makeDataFolder();
  const mailPort = await freePorts();
  const environment: Environment = {
    LATCHKEY_DATA_DIR: folder.path,
    LATCHKEY_PORT: '0',
    LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
  };
  await using first = startLatchkey(['start'], environment);
  const url = await urlOf(first);
  const [, key = ''] = await first.printed(/key, shown only this once:\n +(\S+)/);
  const ping = (await (await fetch(`${url}/ping`)).json()) as { message: string };
  assert.equal(ping.message, 'pong');
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as {
    openapi: string;
    servers: { url: string }[];
  };
  assert.match(description.openapi, /^3\.1\./);
  assert.equal(description.servers[0]?.url, url);
  assert.equal(await statusOf(`http://127.0.0.1:${mailPort + 1}/messages`), 200);
  assert.match(first.stdout(), new RegExp(`Description +${url}/openapi.json`));
  assert.match(first.stdout(), new RegExp(`Mails +http://127.0.0.1:${mailPort + 1}/messages`));
  await keyOpens(url, key);
  await stopsCleanly(first, folder, 'SIGINT');

  await using second = startLatchkey(['start'], environment);
  const newUrl = await urlOf(second);
  assert.doesNotMatch(second.stdout(), /shown only this once|Brought the database forward/);
  await keyOpens(newUrl, key);
  await stopsCleanly(second, folder, 'SIGTERM');
});

test('a fresh machine ends in a community whose roles follow the wallets, and again after a restart', async () => {
  await using folder = await makeDataFolder();
  const usual = await environmentFor(folder);
  // Asked for last, since the sample community takes the ports behind it as well.
  const port = await freePorts();
  const environment = { ...usual, LATCHKEY_TRY_OUT: 'true', LATCHKEY_TRY_OUT_PORT: String(port) };
  const address = `http://127.0.0.1:${port}/twin/guilds/100000000000000001`;
  for (const start of ['first', 'second']) {
    await using latchkey = startLatchkey(['start'], environment);
    await latchkey.printed(/Community +http\S+/);
    const isGiven = async () => {
      const guild = (await (await fetch(address)).json()) as { members: { roles: string[] }[] };
      return guild.members.some(({ roles }) => roles.includes('Holder'));
    };
    const deadline = performance.now() + 30_000;
    while (!(await isGiven())) {
      assert.ok(performance.now() < deadline, `No role came after the ${start} start.\n${latchkey.stderr()}`);
      await new Promise((done) => setTimeout(done, 100));
    }
    await stopsCleanly(latchkey, folder, 'SIGINT');
  }
});

async function keyOpens(url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/log/settings`, { headers: { 'x-api-key': key } });
  assert.equal(answer.status, 200);
  assert.equal(((await answer.json()) as unknown[]).length, 1);
}

test('Ctrl-C during the first start stops the database that was being made', async () => {
  await using folder = await makeDataFolder();
  await using latchkey = startLatchkey(['start'], await environmentFor(folder));
  await until(async () => (await folder.postgresPid()) !== undefined || latchkey.hasEnded(), 60_000);
  const exit = await latchkey.stop('SIGINT');
  assert.equal(exit.code, 0, latchkey.stderr());
  assert.ok(exit.tookMs < stopWithinMs, `stopping took ${exit.tookMs} ms`);
  assert.doesNotMatch(latchkey.stdout(), /Latchkey is running/);
  assert.equal(await folder.postgresPid(), undefined);
});

describe('on a folder that was used before', () => {
  let folder: DataFolder;
  let environment: Environment;
  before(async () => {
    folder = await makeDataFolder();
    environment = await environmentFor(folder);
    await using latchkey = startLatchkey(['start'], environment);
    await urlOf(latchkey);
    await stopsCleanly(latchkey, folder, 'SIGHUP');
  });
  after(() => folder[Symbol.asyncDispose]());

  test('a second start says who is there, and leaves the first one alone', async () => {
    // Behind a proxy that does not let us in by the front door, the first is still found.
    const behindProxy = { ...environment, LATCHKEY_BASE_URL: 'https://latchkey.invalid' };
    await using first = startLatchkey(['start'], behindProxy);
    await first.printed(/Ctrl-C stops everything/);
    const second = await runLatchkey(['start'], environment);
    assert.equal(second.code, 1);
    const who = `process ${first.pid}, https://latchkey.invalid`;
    assert.equal(
      second.stderr,
      `Latchkey is already running on this data folder (${who}). Stop it first, or use another folder with LATCHKEY_DATA_DIR.\n`,
    );
    const { pid, localUrl } = await readNote(folder);
    assert.equal(pid, first.pid);
    assert.equal(await statusOf(`${localUrl}/health/ready`), 200);
    await stopsCleanly(first, folder, 'SIGINT');
  });

  test('of two starts at the same moment one runs and the other says so', async () => {
    await using one = startLatchkey(['start'], environment);
    await using two = startLatchkey(['start'], environment);
    await until(() => one.hasEnded() || two.hasEnded(), 60_000);
    const [loser, winner] = one.hasEnded() ? [one, two] : [two, one];
    // What it said may come after its end.
    await loser.ended();
    assert.match(loser.stderr(), new RegExp(`already running on this data folder \\(process ${winner.pid}, http://`));
    const url = await urlOf(winner);
    assert.equal(await statusOf(`${url}/health/ready`), 200);
    assert.equal((await readNote(folder)).pid, winner.pid);
    await stopsCleanly(winner, folder, 'SIGTERM');
  });

  test('after kill -9 the next start takes over the database that was left running', async () => {
    await using killed = startLatchkey(['start'], environment);
    await urlOf(killed);
    const postgres = await folder.postgresPid();
    await killed.stop('SIGKILL');
    assert.ok(postgres !== undefined && isAlive(postgres), 'PostgreSQL has a session of its own');
    await using next = startLatchkey(['start'], environment);
    assert.equal(await statusOf(`${await urlOf(next)}/health/ready`), 200);
    assert.equal(await folder.postgresPid(), postgres);
    await stopsCleanly(next, folder, 'SIGINT');
  });

  test('after kill -9 of Latchkey and of its database the next start recovers both', async () => {
    await using killed = startLatchkey(['start'], environment);
    await urlOf(killed);
    const postgres = (await folder.postgresPid()) ?? Number.NaN;
    await killed.stop('SIGKILL');
    process.kill(postgres, 'SIGKILL');
    await using next = startLatchkey(['start'], environment);
    assert.equal(await statusOf(`${await urlOf(next)}/health/ready`), 200);
    await stopsCleanly(next, folder, 'SIGINT');
  });

  test('an embedded database that dies is started again under the running server', async () => {
    await using latchkey = startLatchkey(['start'], environment);
    const url = await urlOf(latchkey);
    const postgres = (await folder.postgresPid()) ?? Number.NaN;
    process.kill(postgres, 'SIGKILL');
    await until(async () => (await statusOf(`${url}/health/ready`)) === 503);
    await until(async () => (await statusOf(`${url}/health/ready`)) === 200);
    assert.notEqual(await folder.postgresPid(), postgres);
    await stopsCleanly(latchkey, folder, 'SIGINT');
  });
});

async function readNote(folder: DataFolder): Promise<{ pid: number; localUrl: string }> {
  return JSON.parse(await readFile(join(folder.path, 'running.json'), 'utf8'));
}
