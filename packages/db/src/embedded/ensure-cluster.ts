import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError, errorCode, useAnotherServer } from './error.ts';
import type { Binaries } from './find-binaries.ts';
import { isExpectedBeforeCluster, type Layout, newClusterPrefix } from './layout.ts';
import { isAlive } from './postmaster-file.ts';
import { runProgram } from './run-program.ts';

export interface NewCluster {
  binaries: Binaries;
  prefix: string[];
  log: (line: string) => void;
  /** Off only where the whole folder is thrown away later. */
  sync: boolean;
}

/** Makes sure that the data folder holds a cluster this server can run, making one if the folder is empty. */
export async function ensureCluster(layout: Layout, options: NewCluster): Promise<void> {
  await mkdir(layout.dataDir, { recursive: true, mode: 0o700 });
  const entries = await readdir(layout.dataDir);
  await removeAbandoned(layout.dataDir, entries);
  if (entries.includes('PG_VERSION')) throw await foreignCluster(layout.dataDir);
  if (entries.includes('cluster')) return checkCluster(layout.cluster, options.binaries.majorVersion);

  const stranger = entries.find((entry) => !isExpectedBeforeCluster(entry));
  if (stranger !== undefined) {
    throw new EmbeddedPostgresError(
      `The data folder ${layout.dataDir} holds no database but other files ("${stranger}", for one): move them away, choose an empty folder, or ${useAnotherServer}.`,
    );
  }
  await createCluster(layout, options);
}

async function foreignCluster(folder: string): Promise<Error> {
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  return new EmbeddedPostgresError(
    `The data folder ${folder} is the data directory of another PostgreSQL ${version} server, not one that Latchkey made: choose an empty folder, or run that server and set DATABASE_URL to it.`,
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
    `The database in ${cluster} was made by PostgreSQL ${version} and this Latchkey brings PostgreSQL ${majorVersion}: dump it with version ${version} and restore the dump, move it away to start with an empty database, or ${useAnotherServer}.`,
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

// The cluster gets its name only when it is complete and on disk: a crash on the way leaves nothing that looks like one.
async function createCluster(layout: Layout, options: NewCluster): Promise<void> {
  options.log(`Making a new PostgreSQL ${options.binaries.majorVersion} database in ${layout.dataDir}.`);
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
    // No password: the socket lies in a folder only its owner can enter, and whoever can enter it can read the
    // database's files just as well. There is no TCP to protect, and it is refused besides.
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
    // An initdb that outlived its maker may still be writing; then the next start removes what it leaves.
    await rm(join(dataDir, entry), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}
