import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { isServing } from '../embedded/postmaster-file.ts';
import { socketUrl } from '../embedded/socket-folder.ts';
import { createTestDatabase, withCluster } from './index.ts';
import { queryOnce } from './query-once.ts';
import { mountSmallDisk } from './small-disk.ts';
import { removeLeftovers } from './test-folder.ts';

test('concurrent suites get separate databases from one run of their migration', async () => {
  let runs = 0;
  const migrate = async (url: string) => {
    runs += 1;
    await queryOnce(url, 'create table thing (n int); insert into thing values (1)');
  };
  const databases = await Promise.all([1, 2, 3].map(() => createTestDatabase({ migrate, name: 'same-name' })));
  assert.equal(runs, 1);
  assert.equal(new Set(databases.map(({ url }) => url)).size, 3);
  const [first, second, third] = databases;
  assert.ok(first && second && third);
  await queryOnce(first.url, 'insert into thing values (2)');
  assert.deepEqual(await queryOnce(first.url, 'select n from thing order by n'), [{ n: 1 }, { n: 2 }]);
  assert.deepEqual(await queryOnce(second.url, 'select n from thing'), [{ n: 1 }]);
  const [facts] = await queryOnce(
    third.url,
    `select current_user::text as role, pg_get_userbyid(datdba)::text as owner
     from pg_database where datname = current_database()`,
  );
  assert.deepEqual(facts, { role: 'latchkey', owner: 'latchkey' });
  assert.deepEqual(await queryOnce(third.adminUrl, 'select current_user::text as role'), [{ role: 'postgres' }]);
  for (const { drop } of databases) await drop();
  await first.drop();
  await assert.rejects(queryOnce(first.url, 'select 1'), { code: '3D000' });
});

test('another migration makes another template, and without one the database is empty', async () => {
  const [a, b, empty] = await Promise.all([
    createTestDatabase({ migrate: (url) => queryOnce(url, 'create table a ()') }),
    createTestDatabase({ migrate: (url) => queryOnce(url, 'create table b ()') }),
    createTestDatabase(),
  ]);
  const tables = `select tablename::text as name from pg_tables where schemaname = 'public'`;
  assert.deepEqual(await queryOnce(a.url, tables), [{ name: 'a' }]);
  assert.deepEqual(await queryOnce(b.url, tables), [{ name: 'b' }]);
  assert.deepEqual(await queryOnce(empty.url, tables), []);
  for (const { drop } of [a, b, empty]) await drop();
});

test('every acknowledged row survives kill -9 of the server under four writers', async () => {
  await withCluster(async (cluster) => {
    assert.deepEqual(await queryOnce(cluster.url, 'show fsync'), [{ fsync: 'on' }]);
    await queryOnce(cluster.url, 'create table written (writer int, n int, primary key (writer, n))');
    const acknowledged: string[] = [];
    const enough = Promise.withResolvers<void>();
    const write = async (writer: number) => {
      const client = new pg.Client({ connectionString: cluster.url });
      client.on('error', () => undefined);
      await client.connect();
      for (let n = 0; ; n += 1) {
        await client.query('insert into written values ($1, $2)', [writer, n]);
        acknowledged.push(`${writer}:${n}`);
        if (acknowledged.length === 400) enough.resolve();
      }
    };
    const writers = [1, 2, 3, 4].map((writer) => write(writer).catch(() => 'cut off'));
    await enough.promise;
    const killedPid = cluster.pid;
    cluster.kill();
    assert.deepEqual(await Promise.all(writers), Array(4).fill('cut off'));

    await cluster.start();
    assert.notEqual(cluster.pid, killedPid);
    const rows = await queryOnce<{ key: string }>(cluster.url, `select writer || ':' || n as key from written`);
    const present = new Set(rows.map(({ key }) => key));
    assert.deepEqual(
      acknowledged.filter((key) => !present.has(key)),
      [],
    );
    assert.ok(present.size - acknowledged.length <= 4, 'at most the insert in flight of each writer is unacknowledged');
  });
});

test('a statement whose server is killed under it is refused, and ends nothing else', async () => {
  await withCluster(async (cluster) => {
    const asleep = queryOnce(cluster.url, 'select pg_sleep(3600)');
    await until('the statement runs', async () => {
      const [row] = await queryOnce(cluster.url, `select from pg_stat_activity where query like 'select pg_sleep%'`);
      return row !== undefined;
    });
    cluster.kill();
    await assert.rejects(asleep, /Connection terminated|ECONNRESET/);
    await cluster.start();
  });
});

test('a private cluster comes back on the same folder after a stop of either kind, and is removed at the end', async () => {
  const { dataDir, pid } = await withCluster(async (cluster) => {
    await queryOnce(cluster.url, 'create table kept (n int); insert into kept values (1)');
    for (const mode of ['fast', 'immediate'] as const) {
      await cluster.stop(mode);
      await assert.rejects(queryOnce(cluster.url, 'select 1'));
      await cluster.start();
      assert.deepEqual(await queryOnce(cluster.url, 'select n from kept'), [{ n: 1 }]);
    }
    return { dataDir: cluster.dataDir, pid: cluster.pid };
  });
  assert.equal(await isServing(join(dataDir, 'cluster'), pid), false);
  await assert.rejects(stat(dataDir), { code: 'ENOENT' });
});

const script = `
  const { createTestDatabase } = await import(${JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))});
  const { url } = await createTestDatabase();
  process.stdout.write(new URL(url).searchParams.get('host') + '\\n');
  if (process.argv[1] === 'stay') setInterval(() => {}, 1000);`;

async function runSuite(argument: string, temporary: string) {
  const suite = spawn(process.execPath, ['--input-type=module', '-e', script, argument], {
    env: { TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(suite.stdout, 'data');
  const socketFolder = String(printed).trim();
  return { suite, socketFolder, dataDir: join(socketFolder, '..') };
}

async function withTemporaryFolder(work: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'latchkey-tmp-'));
  try {
    await work(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

test('a test process that ends takes its server and its folder with it', async () => {
  await withTemporaryFolder(async (temporary) => {
    const { suite } = await runSuite('end', temporary);
    const [code] = await once(suite, 'exit');
    assert.equal(code, 0);
    assert.deepEqual(await readdir(temporary), []);
  });
});

test('leftovers of a killed test process are stopped and removed by the next, and a living one is left alone', async () => {
  await withTemporaryFolder(async (temporary) => {
    const { suite, socketFolder, dataDir } = await runSuite('stay', temporary);
    await removeLeftovers(temporary);
    assert.deepEqual(await readdir(temporary), [basename(dataDir)]);

    suite.kill('SIGKILL');
    await once(suite, 'exit');
    const claims = `select from pg_locks where locktype = 'advisory'`;
    // The server of a process that died keeps running until it notices.
    await until(
      'the server has noticed',
      async () => (await queryOnce(socketUrl(socketFolder, 'postgres', 'postgres'), claims)).length === 0,
    );
    await removeLeftovers(temporary);
    assert.deepEqual(await readdir(temporary), []);
  });
});

test('a small disk left by a killed test process is removed by the next', async (t) => {
  await withTemporaryFolder(async (temporary) => {
    const ended = spawnSync(process.execPath, ['--version']);
    const dataDir = join(temporary, `latchkey-test-${ended.pid}-disk`);
    await mkdir(dataDir);
    const disk = await mountSmallDisk(dataDir);
    if (typeof disk === 'string') t.diagnostic(disk);
    await removeLeftovers(temporary);
    assert.deepEqual(await readdir(temporary), []);
    if (typeof disk !== 'string') assert.throws(disk.unmount, 'nothing is mounted there');
  });
});
