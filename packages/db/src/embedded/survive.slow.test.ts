import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { createTestDatabase } from '../testing/index.ts';
import { queryOnce } from '../testing/query-once.ts';
import { makeTestFolder, type TestFolder } from '../testing/test-folder.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts';
import { isAlive, isServing } from './postmaster-file.ts';

function socketFolderOf(url: string): string {
  return new URL(url).searchParams.get('host') ?? '';
}

/** Returns the backends that hold the claim to a server. */
async function claimantsOf(adminUrl: string): Promise<number[]> {
  const rows = await queryOnce<{ pid: number }>(adminUrl, `select pid from pg_locks where locktype = 'advisory'`);
  return rows.map(({ pid }) => pid);
}

describe('on a folder that has a database', () => {
  let folder: TestFolder;
  let cluster: string;
  const started = new Set<EmbeddedPostgres>();

  async function start(settings: Record<string, string> = {}, dataDir = folder.dataDir): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({
      dataDir,
      log: () => undefined,
      settings: { fsync: 'off', ...settings },
    });
    started.add(server);
    return server;
  }

  before(async () => {
    folder = await makeTestFolder();
    cluster = join(folder.dataDir, 'cluster');
    await (await start()).stop();
  });
  afterEach(async () => {
    for (const server of started) await server.stop('immediate');
    started.clear();
  });
  after(() => folder.remove());

  test('a second start joins the first server and does not stop it', async () => {
    const first = await start();
    const second = await start();
    assert.equal(second.pid, first.pid);
    assert.equal(second.owned, false);
    await second.stop();
    assert.deepEqual(await queryOnce(first.url, 'select 1 as n'), [{ n: 1 }]);
    await first.stop();
    await assert.rejects(queryOnce(first.url, 'select 1'), { code: 'ENOENT' });
  });

  test('the server outlives the killed process group that started it, and the next start takes it over', async () => {
    const index = fileURLToPath(new URL('./index.ts', import.meta.url));
    const script = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(index)});
      const server = await startEmbeddedPostgres({ dataDir: process.argv[1], log() {}, settings: { fsync: 'off' } });
      process.stdout.write(JSON.stringify({ pid: server.pid, adminUrl: server.adminUrl }));
      setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', script, folder.dataDir], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await once(starter.stdout, 'data');
    process.kill(-(starter.pid ?? Number.NaN), 'SIGKILL');
    await once(starter, 'exit');
    const { pid, adminUrl } = JSON.parse(String(printed));
    await until('the server has noticed', async () => (await claimantsOf(adminUrl)).length === 0);

    const server = await start();
    assert.equal(server.pid, pid);
    assert.equal(server.owned, true);
    await server.stop();
    assert.equal(await isServing(cluster, server.pid), false);
  });

  test('the owner stays the owner when its connection is terminated', async () => {
    const owner = await start();
    const [claimant] = await claimantsOf(owner.adminUrl);
    await queryOnce(owner.adminUrl, 'select pg_terminate_backend($1)', [claimant]);
    await until('the claim is back', async () => {
      const claimants = await claimantsOf(owner.adminUrl);
      return claimants.length === 1 && !claimants.includes(claimant ?? 0);
    });
    const other = await start();
    assert.equal(other.pid, owner.pid);
    assert.equal(other.owned, false);
  });

  test('the crash of one backend stops the server, and the next start recovers and owns it', async () => {
    const crashed = await start();
    await queryOnce(crashed.url, 'create table kept as select 1 as n');
    const client = new pg.Client({ connectionString: crashed.url });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    process.kill(rows[0]?.pid ?? Number.NaN, 'SIGKILL');
    await until('the server has ended', async () => !(await isServing(cluster, crashed.pid)));

    const server = await start();
    assert.equal(server.owned, true);
    assert.deepEqual(await queryOnce(server.url, 'select n from kept'), [{ n: 1 }]);
  });

  test('a postmaster.pid left by a dead server is stale', async () => {
    const killed = await start();
    process.kill(killed.pid, 'SIGKILL');
    await until('the server is dead', () => !isAlive(killed.pid));
    assert.equal((await start()).owned, true);
  });

  test('an empty postmaster.pid is stale', async () => {
    await writeFile(join(cluster, 'postmaster.pid'), '');
    assert.equal((await start()).owned, true);
  });

  test('a postmaster.pid whose pid now belongs to another process is stale, and that process is left alone', async (t) => {
    const stranger = spawn('sleep', ['3600']);
    t.after(() => stranger.kill());
    const socket = join(folder.dataDir, 'socket');
    const lines = [stranger.pid, cluster, 1_700_000_000, 5432, socket, '', '  1234 5678', 'ready'];
    await writeFile(join(cluster, 'postmaster.pid'), `${lines.join('\n')}\n`);
    await writeFile(join(socket, '.s.PGSQL.5432.lock'), `${lines.slice(0, 5).join('\n')}\n`);
    const server = await start();
    assert.notEqual(server.pid, stranger.pid);
    await server.stop();
    assert.equal(isAlive(stranger.pid ?? Number.NaN), true);
  });

  test('a postmaster.pid copied from another running server does not connect to it', async () => {
    const elsewhere = await createTestDatabase();
    const otherCluster = join(socketFolderOf(elsewhere.url), '..', 'cluster');
    await copyFile(join(otherCluster, 'postmaster.pid'), join(cluster, 'postmaster.pid'));
    const server = await start();
    assert.equal(server.owned, true);
    assert.deepEqual(await queryOnce(server.adminUrl, 'show data_directory'), [{ data_directory: cluster }]);
    await server.stop();
    assert.deepEqual(await queryOnce(elsewhere.url, 'select 1 as n'), [{ n: 1 }]);
    await elsewhere.drop();
  });

  test('a path too long for a socket is served through a private runtime folder that stop removes', async () => {
    const longName = join(folder.dataDir, 'long-'.repeat(20));
    await symlink(folder.dataDir, longName);
    const server = await start({}, longName);
    const socketFolder = socketFolderOf(server.url);
    assert.ok(!socketFolder.startsWith(longName));
    assert.equal((await stat(socketFolder)).mode & 0o777, 0o700);
    assert.deepEqual(await queryOnce(server.url, 'select 1 as n'), [{ n: 1 }]);
    await server.stop();
    await assert.rejects(stat(socketFolder), { code: 'ENOENT' });
  });

  test('a failed start shows the end of the log', async () => {
    const sentence = /did not start on .*postgres\.log says:\n.*invalid value for parameter "shared_buffers": "many"/s;
    await assert.rejects(start({ shared_buffers: 'many' }), sentence);
  });
});
