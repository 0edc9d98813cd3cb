import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { queryOnce } from '../testing/query-once.ts';
import { makeTestFolder } from '../testing/test-folder.ts';
import { startEmbeddedPostgres } from './index.ts';
import { isServing } from './postmaster-file.ts';

const quick = { fsync: 'off' };
const log = () => undefined;

async function emptyFolder() {
  const { dataDir, remove } = await makeTestFolder();
  return { dataDir, [Symbol.asyncDispose]: remove };
}

test('an empty folder becomes a durable server that only its owner can reach, and keeps its rows', async () => {
  await using folder = await emptyFolder();
  const dataDir = join(folder.dataDir, 'a b,"c" é');
  const server = await startEmbeddedPostgres({ dataDir, log });
  assert.equal(server.owned, true);
  const [facts] = await queryOnce(
    server.url,
    `select current_user::text as role, rolsuper, rolcreatedb, current_database()::text as database,
            current_setting('listen_addresses') as listen, current_setting('fsync') as fsync,
            current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding,
            upper('é') as upper, current_setting('server_version_num')::int / 10000 as major
     from pg_roles where rolname = current_user`,
  );
  assert.deepEqual(facts, {
    role: 'latchkey',
    rolsuper: false,
    rolcreatedb: false,
    database: 'latchkey',
    listen: '',
    fsync: 'on',
    checksums: 'on',
    encoding: 'UTF8',
    upper: 'É',
    major: 18,
  });
  assert.equal((await stat(join(dataDir, 'socket'))).mode & 0o777, 0o700);
  assert.equal((await stat(join(dataDir, 'postgres.log'))).mode & 0o777, 0o600);
  await queryOnce(server.url, 'create table kept (n int); insert into kept values (7)');
  await server.stop();
  await server.stop();

  const again = await startEmbeddedPostgres({ dataDir, log });
  assert.deepEqual(await queryOnce(again.url, 'select n from kept'), [{ n: 7 }]);
  await again.stop();
});

test('concurrent first starts end with one server and one owner, and leftovers of an interrupted one are removed', async () => {
  await using folder = await emptyFolder();
  const { dataDir } = folder;
  const { pid: deadPid } = spawnSync('true');
  const draft = join(dataDir, `cluster.new-${deadPid}-abcdef`);
  await mkdir(draft);
  await writeFile(join(draft, 'PG_VERSION'), '18\n');

  const start = () => startEmbeddedPostgres({ dataDir, log, settings: quick });
  const servers = await Promise.all([start(), start()]);
  const [pid = 0, ...otherPids] = new Set(servers.map((server) => server.pid));
  assert.deepEqual(otherPids, []);
  assert.equal(servers.filter((server) => server.owned).length, 1);
  assert.deepEqual((await readdir(dataDir)).sort(), ['cluster', 'postgres.log', 'socket']);
  for (const server of servers) await server.stop();
  assert.equal(await isServing(join(dataDir, 'cluster'), pid), false);
});
