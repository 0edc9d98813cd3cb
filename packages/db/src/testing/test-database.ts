import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/index.ts';
import { makeTestFolder } from './test-folder.ts';

/** Brings an empty database to the shape that a suite needs. */
export type Migrate = (url: string) => Promise<unknown>;

export interface TestDatabase {
  /** The ordinary role, which owns the database. */
  url: string;
  /** The superuser, in the same database. */
  adminUrl: string;
  drop(): Promise<void>;
}

// Nothing here has to survive a power loss, so nothing waits for the disk.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

let cluster: Promise<EmbeddedPostgres> | undefined;
const templates = new Map<Migrate, Promise<string>>();
let databases = 0;

/**
 * A database of its own for a suite, on one server that all suites of this process share. The first suite to bring a
 * migration pays for it; the others get a copy of the result. `name` makes the database recognisable in a listing.
 */
export async function createTestDatabase(options: { migrate?: Migrate; name?: string } = {}): Promise<TestDatabase> {
  const { migrate, name = 'test' } = options;
  cluster ??= startCluster();
  const server = await cluster;
  const template = migrate ? await templateFor(server, migrate) : 'template0';
  const database = await create(server, name, template);
  return {
    url: inDatabase(server.url, database),
    adminUrl: inDatabase(server.adminUrl, database),
    drop: () => asAdmin(server, `drop database if exists "${database}" with (force)`),
  };
}

async function startCluster(): Promise<EmbeddedPostgres> {
  const folder = await makeTestFolder();
  const server = await startEmbeddedPostgres({ dataDir: folder.dataDir, log: () => undefined, settings });
  folder.serverPid = server.pid;
  return server;
}

function templateFor(server: EmbeddedPostgres, migrate: Migrate): Promise<string> {
  const existing = templates.get(migrate);
  if (existing) return existing;
  const made = makeTemplate(server, migrate);
  templates.set(migrate, made);
  return made;
}

async function makeTemplate(server: EmbeddedPostgres, migrate: Migrate): Promise<string> {
  const template = await create(server, 'template', 'template0');
  await migrate(inDatabase(server.url, template));
  // A database can be copied only while nobody is connected to it.
  await asAdmin(server, `alter database "${template}" with allow_connections false`);
  return template;
}

async function create(server: EmbeddedPostgres, name: string, template: string): Promise<string> {
  databases += 1;
  const database = `${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40)}_${databases}`;
  await asAdmin(server, `create database "${database}" owner latchkey template "${template}"`);
  return database;
}

async function asAdmin(server: EmbeddedPostgres, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function inDatabase(url: string, database: string): string {
  return url.replace(/\/[a-z]+\?/, `/${database}?`);
}
