import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createTestDatabase } from '@latchkey/db/testing';
import { behindPort } from '@latchkey/server/testing/tcp-database';
import { until, volume } from '@latchkey/test-kit';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const longestMegabytes = 300;
/** Certificates and DNS settings of this machine, for networks with a proxy. */
const shared = ['/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt'].filter((path) => existsSync(path));

/** npm in the first stage trusts what this machine trusts. */
const certificates = ['--change', 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'];

/** Returns why the image cannot be built here, or undefined. */
function obstacle(): string | undefined {
  if (volume(0, 1) === 0) return 'The image is built in the deep run only; scripts/deploy.test.ts reads its files.';
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'Building an image here needs root on Linux.';
  const missing = ['mmdebstrap', 'podman', 'npm'].filter((name) => spawnSync(name, ['--version']).status !== 0);
  return missing.length === 0 ? undefined : `Not installed on this machine: ${missing.join(', ')}.`;
}

/** Imports the two base images under their names, built from Debian's packages and the current Node: no image registry is used. */
async function importBases(folder: string, podman: (...args: string[]) => Promise<string>): Promise<void> {
  const base = join(folder, 'base');
  const without = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
  // As Debian's own image is made: usrmerge, which is installed otherwise, brings a second Perl of 50 MB.
  const lean = ['--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr', '--include=libstdc++6,usr-is-merged'];
  await run('mmdebstrap', ['--variant=essential', ...lean, ...without, 'bookworm', base], { maxBuffer: 1e8 });
  const pack = async (name: string) => {
    await run('tar', ['-cf', join(folder, 'base.tar'), '-C', base, '.']);
    await podman('import', ...certificates, join(folder, 'base.tar'), name);
  };
  await pack('localhost/debian:bookworm-slim');
  const npm = dirname(dirname(realpathSync((await run('which', ['npm'])).stdout.trim())));
  mkdirSync(join(base, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(npm, join(base, 'usr/local/lib/node_modules/npm'), { recursive: true });
  cpSync(realpathSync(process.execPath), join(base, 'usr/local/bin/node'));
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'));
  await pack('localhost/node-of-this-machine');
  rmSync(base, { recursive: true });
}

interface Sbom {
  bomFormat: string;
  serialNumber?: string;
  metadata: { timestamp: string };
  components: { name: string; version: string }[];
}

/** Returns the hash and mode of each file of ours in an image: the programs and what they read. */
function hashFiles(image: string): Map<string, string> {
  const paths = [
    ...globSync('latchkey/**', { cwd: image, withFileTypes: true }),
    ...globSync('usr/local/bin/*', { cwd: image, withFileTypes: true }),
  ];
  return new Map(
    paths
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
        return [relative(image, path), `${hash} ${statSync(path).mode.toString(8)}`];
      }),
  );
}

function differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...one.keys(), ...other.keys()]);
  return [...paths].filter((path) => one.get(path) !== other.get(path));
}

/** Starts a command of the image as its user, with the files of the image as the root. */
function startIn(
  cleanUp: AsyncDisposableStack,
  image: string,
  args: readonly string[],
  environment: Record<string, string>,
) {
  const child = spawn('chroot', ['--userspec=10001:10001', image, '/usr/local/bin/latchkey', ...args], {
    env: {
      PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      NODE_ENV: 'production',
      LATCHKEY_DATA_DIR: '/var/lib/latchkey',
      ...environment,
    },
  });
  let output = '';
  child.on('error', (error) => (output += error.message));
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  cleanUp.defer(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
  });
  return { child, output: () => output };
}

test('the image is small and the same each time, lists what is in it, and its server starts without npm and serves its pages', async (t) => {
  const reason = obstacle();
  if (reason !== undefined) return t.skip(reason);
  await using cleanUp = new AsyncDisposableStack();
  // Podman accepts no path of more than 50 characters for its run directory.
  const folder = mkdtempSync(join(tmpdir(), 'i-'));
  const podman = async (...args: string[]) => {
    const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'r'), '--storage-driver', 'vfs'];
    return (await run('podman', [...store, ...args], { cwd: root, maxBuffer: 1e8 })).stdout.trim();
  };
  cleanUp.defer(async () => {
    await podman('image', 'unmount', '--all').catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  await importBases(folder, podman);
  const mounts = shared.flatMap((path) => ['--volume', `${path}:${path}:ro`]);
  const bases = ['NODE_IMAGE=localhost/node-of-this-machine', 'BASE_IMAGE=localhost/debian:bookworm-slim'];
  const build = (name: string) =>
    podman(
      'build',
      '--isolation=chroot',
      '--network=host',
      '--pull=never',
      '--layers=false',
      '--build-arg',
      'SOURCE_DATE_EPOCH=1767225600',
      ...mounts,
      ...bases.flatMap((base) => ['--build-arg', base]),
      '-t',
      name,
      '.',
    );
  await build('latchkey');
  const megabytes = Number(await podman('image', 'inspect', '--format', '{{.Size}}', 'latchkey')) / 1e6;
  t.diagnostic(`the image has ${megabytes.toFixed()} MB`);
  assert.ok(megabytes <= longestMegabytes, `${megabytes} MB`);

  const image = await podman('image', 'mount', 'latchkey');
  assert.equal(existsSync(join(image, 'usr/local/bin/npm')), false);
  await build('again');
  const files = hashFiles(image);
  assert.ok(files.size > 2_000);
  assert.deepEqual(differences(files, hashFiles(await podman('image', 'mount', 'again'))), []);
  const sbom = JSON.parse(readFileSync(join(image, 'latchkey/sbom.cdx.json'), 'utf8')) as Sbom;
  assert.deepEqual(
    [sbom.bomFormat, sbom.serialNumber, sbom.metadata.timestamp],
    ['CycloneDX', undefined, '2026-01-01T00:00:00.000Z'],
  );
  const listed = new Set(sbom.components.map(({ name, version }) => `${name} ${version}`));
  assert.ok(listed.has(`node ${process.versions.node}`));
  for (const path of globSync('latchkey/node_modules/{*,@*/*}/package.json', { cwd: image })) {
    const { name, version } = JSON.parse(readFileSync(join(image, path), 'utf8')) as { name: string; version?: string };
    if (!name.startsWith('@latchkey/'))
      assert.ok(listed.has(`${name} ${version}`), `${path} is not in the bill of materials`);
  }
  const version = startIn(cleanUp, image, ['version'], {});
  await until('the version is printed', () => {
    assert.ok(version.child.exitCode === null || version.child.exitCode === 0, version.output());
    return /^Latchkey \d+\.\d+\.\d+/.test(version.output());
  });
  const database = await createTestDatabase({ name: 'image', migrate: true });
  const reachable = await behindPort(database.url);
  reachable.open();
  cleanUp.defer(async () => {
    await reachable.close();
    await database.drop();
  });
  const server = startIn(cleanUp, image, ['server'], {
    DATABASE_URL: reachable.url,
    LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 3).toString('base64')}`,
    LATCHKEY_PORT: '0',
    LATCHKEY_METRICS_PORT: '0',
  });
  const [, baseUrl = ''] = await until('it runs', () => {
    assert.equal(server.child.exitCode, null, server.output());
    return /"baseUrl":"([^"]+)".*Latchkey server is running/.exec(server.output()) ?? false;
  });
  assert.equal((await fetch(`${baseUrl}/health/ready`)).status, 200);
  const page = await (await fetch(`${baseUrl}/console`)).text();
  const [, asset = ''] = /src="([^"]+\.js)"/.exec(page) ?? [];
  assert.equal((await fetch(new URL(asset, baseUrl))).status, 200);
});
