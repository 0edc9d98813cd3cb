import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@latchkey/test-kit';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/index.ts';
import { migrate } from '../migrate.ts';
import { queryOnce } from './query-once.ts';

/** A server for test databases. */
export interface TestCluster {
  url: string;
  adminUrl: string;
  /** A template database with every migration, which accepts no connections. */
  migrated?: string;
}

/** The file with the URL of the server for the processes of a test run. */
export const clusterVariable = 'LATCHKEY_TEST_CLUSTER';

// Nothing here has to survive a power loss, so nothing waits for the disk.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
};

export function startTestCluster(dataDir: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, log: () => undefined, settings });
}

/**
 * Starts one server for all processes of a test run, with a database that has every migration. The file is written
 * when both are ready, or contains the reason why they are not; processes that need a database wait until then.
 */
export async function shareCluster(folder: string, file: string): Promise<() => Promise<void>> {
  try {
    const server = await startTestCluster(join(folder, 'shared-cluster'));
    const migrated = await makeTemplate(server, 'latchkey_migrated', migrate);
    await publish(file, { url: server.url, adminUrl: server.adminUrl, migrated });
    return () => server.stop('immediate');
  } catch (error) {
    await publish(file, { problem: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** Returns the server of this process's test run; undefined if a file is run on its own. */
export async function findSharedCluster(): Promise<TestCluster | undefined> {
  const file = process.env[clusterVariable];
  if (file === undefined) return undefined;
  const text = await until('the database server of this test run is there', () =>
    readFile(file, 'utf8').catch(() => undefined),
  );
  const found = JSON.parse(text);
  if (found.problem !== undefined)
    throw new Error(`The database server of this test run did not start: ${found.problem}`);
  return found;
}

async function publish(file: string, found: TestCluster | { problem: string }): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(found), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Creates a template database. */
export async function makeTemplate(
  server: TestCluster,
  name: string,
  bringForward: (url: string) => Promise<unknown>,
): Promise<string> {
  await createDatabase(server, name, 'template0');
  await bringForward(inDatabase(server.url, name));
  // A database can be copied only while it has no connections.
  await asAdmin(server, `alter database "${name}" with allow_connections false`);
  return name;
}

export async function createDatabase(server: TestCluster, name: string, template: string): Promise<void> {
  // Copying the files takes a sixth of the time of writing every page to the WAL first, which is never replayed here.
  await asAdmin(server, `create database "${name}" owner latchkey template "${template}" strategy file_copy`);
}

export async function asAdmin(server: TestCluster, statement: string): Promise<void> {
  await queryOnce(server.adminUrl, statement);
}

export function inDatabase(url: string, database: string): string {
  return url.replace(/\/[a-z]+\?/, `/${database}?`);
}
