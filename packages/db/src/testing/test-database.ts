import { migrate as bringForward } from '../migrate.ts';
import { signerRole } from '../signer-schema/index.ts';
import {
  asAdmin,
  createDatabase,
  findSharedCluster,
  inDatabase,
  makeTemplate,
  startTestCluster,
  type TestCluster,
} from './shared-cluster.ts';
import { makeTestFolder } from './test-folder.ts';

/** Migrates an empty database to the schema that a suite needs. */
export type Migrate = (url: string) => Promise<unknown>;

export interface TestDatabase {
  /** The ordinary role, which owns the database. */
  url: string;
  /** The superuser, in the same database. */
  adminUrl: string;
  drop(): Promise<void>;
}

let cluster: Promise<TestCluster> | undefined;
const templates = new Map<Migrate, Promise<string>>();
let databases = 0;

/**
 * Creates a database for a suite. All processes of a test run share one server, and a file that is run on its own
 * starts one. With `migrate: true` it is a copy of a database with every migration; with a function, the first suite to
 * pass it pays for it, and the others of this process get a copy of the result. `name` makes the database recognizable
 * in a listing.
 */
export async function createTestDatabase(
  options: { migrate?: true | Migrate; name?: string } = {},
): Promise<TestDatabase> {
  const { migrate, name = 'test' } = options;
  cluster ??= findSharedCluster().then((shared) => shared ?? startOwnCluster());
  const server = await cluster;
  const template = await templateFor(server, migrate === true ? bringForward : migrate);
  const database = nameOf(name);
  await createDatabase(server, database, template);
  // The copy lacks the privileges that were granted on the database itself.
  if (migrate) await asAdmin(server, `grant connect, create on database "${database}" to ${signerRole}`);
  return {
    url: inDatabase(server.url, database),
    adminUrl: inDatabase(server.adminUrl, database),
    drop: () => asAdmin(server, `drop database if exists "${database}" with (force)`),
  };
}

async function startOwnCluster(): Promise<TestCluster> {
  const folder = await makeTestFolder();
  const server = await startTestCluster(folder.dataDir);
  folder.serverPid = server.pid;
  return server;
}

async function templateFor(server: TestCluster, migrate: Migrate | undefined): Promise<string> {
  if (migrate === undefined) return 'template0';
  if (migrate === bringForward && server.migrated !== undefined) return server.migrated;
  const existing = templates.get(migrate);
  if (existing) return existing;
  const made = makeTemplate(server, nameOf('template'), migrate);
  templates.set(migrate, made);
  return made;
}

/** Returns a name that is unique across all processes of the run. */
function nameOf(what: string): string {
  databases += 1;
  const readable = what
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 36);
  return `${readable}_${process.pid}_${databases}`;
}
