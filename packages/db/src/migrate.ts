import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { applyIn, applyMigration, type Migration, type Pace, usualPace } from './apply-migration.ts';
import { connectDirectly } from './connection/connect-once.ts';
import { limitLogin } from './connection/pooled.ts';
import { type Risk, risksIn } from './migration-risks.ts';
import { admitSigner } from './signer-schema/admit-signer.ts';
import { admitTenants, tenantRole } from './tenant-login/admit-tenants.ts';

const platformFolder = new URL('../migrations/', import.meta.url);
// Any constant works, as long as every process asks for the same lock.
export const migrationLock = 4_817_223;

export interface MigrationReport {
  applied: string[];
  total: number;
}

export interface MigrateOptions {
  /** The setting that holds the address, for messages. */
  variable?: string;
  /** How long a statement of this login may take from now on, where connections cannot say so themselves. */
  loginTimeoutMs?: number;
  /** Told of each migration before it is applied, and of each wait. */
  progress?(line: string): void;
}

async function listMigrations(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  return Promise.all(
    (await listMigrations(folder)).map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings a database forward. Many processes may call this at once: an advisory lock lets one work while the others
 * wait, and each migration commits together with the row that records it.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<MigrationReport> {
  const client = await connectDirectly(url, options.variable ?? 'DATABASE_URL');
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const report = await bringForward(client, platformFolder, options);
    await admitSigner(client);
    await admitTenants(client, tenantRole);
    if (options.loginTimeoutMs !== undefined) await limitLogin(client, options.loginTimeoutMs);
    return report;
  } finally {
    await client.end();
  }
}

const createTable =
  'create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())';

/** Applies the migrations of a folder that the first schema of the search path has not had. Hold a lock meanwhile. */
export async function bringForward(
  client: pg.Client,
  folder: URL,
  { pace = usualPace, progress = () => undefined }: { pace?: Pace; progress?(line: string): void } = {},
): Promise<MigrationReport> {
  const migrations = await readMigrations(folder);
  await client.query(createTable);
  const waiting = await listWaiting(client, migrations);
  for (const [at, migration] of waiting.entries()) {
    progress(`${at + 1}/${waiting.length} ${migration.name}`);
    await applyMigration(client, migration, pace, progress);
  }
  return { applied: waiting.map(({ name }) => name), total: migrations.length };
}

/** The migrations that a database has not had. Refuses one that a newer program has used. */
async function listWaiting(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from migrations');
  const done = new Map(rows.map((row) => [row.name, row.hash]));
  assertKnown(done, migrations);
  return migrations.filter(({ name }) => !done.has(name));
}

/**
 * Applies, in the open transaction of an empty database, exactly these migrations. Refuses those that this program does not
 * know, and those that it knows otherwise.
 */
export async function applyNamed(client: pg.Client, wanted: readonly { name: string; hash: string }[]): Promise<void> {
  const migrations = await readMigrations(platformFolder);
  assertKnown(
    new Map(wanted.map(({ name, hash }) => [name, hash])),
    migrations,
    (name) => `The backup was made by a newer Latchkey (it has ${name}). Restore it with that version.`,
  );
  await client.query(createTable);
  const names = new Set(wanted.map(({ name }) => name));
  for (const migration of migrations.filter(({ name }) => names.has(name))) await applyIn(client, migration);
}

export interface WaitingMigration {
  name: string;
  risks: readonly Risk[];
}

/** What `migrate` would apply, and what of it could hold up running processes. Changes nothing. */
export async function listWaitingMigrations(url: string, variable: string): Promise<WaitingMigration[]> {
  const client = await connectDirectly(url, variable);
  try {
    const migrations = await readMigrations(platformFolder);
    const { rows } = await client.query<{ isThere: boolean }>(
      `select to_regclass('migrations') is not null as "isThere"`,
    );
    const waiting = rows[0]?.isThere ? await listWaiting(client, migrations) : migrations;
    return waiting.map(({ name, sql }) => ({ name, risks: risksIn(sql) }));
  } finally {
    await client.end();
  }
}

/**
 * True when the database has had every migration this program knows. It may have had more: a process goes on while a newer
 * one has brought the database forward.
 */
export async function isMigrated(query: (text: string) => Promise<{ rows: { name: string }[] }>): Promise<boolean> {
  const known = await listMigrations(platformFolder);
  const { rows } = await query('select name from migrations');
  const done = new Set(rows.map((row) => row.name));
  return known.every((name) => done.has(name));
}

function assertKnown(
  done: Map<string, string>,
  migrations: readonly { name: string; hash: string }[],
  newer = (name: string) =>
    `The database was used by a newer Latchkey (it has ${name}). Start that version, or use another database.`,
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.hash]));
  for (const [name, hash] of done) {
    const expected = known.get(name);
    if (expected === undefined) throw new Error(newer(name));
    if (expected !== hash) {
      throw new Error(
        `The migration ${name} was changed after the database had it. Restore the file; write a new one instead.`,
      );
    }
  }
}
