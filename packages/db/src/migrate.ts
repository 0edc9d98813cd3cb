import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { connectDirectly } from './connection/connect-once.ts';
import { limitLogin } from './connection/pooled.ts';
import { reasonOf } from './connection/reason.ts';
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
}

async function listMigrations(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
}

async function readMigrations(folder: URL): Promise<{ name: string; sql: string; hash: string }[]> {
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
    const report = await bringForward(client, platformFolder);
    await admitSigner(client);
    await admitTenants(client, tenantRole);
    if (options.loginTimeoutMs !== undefined) await limitLogin(client, options.loginTimeoutMs);
    return report;
  } finally {
    await client.end();
  }
}

/** Applies the migrations of a folder that the first schema of the search path has not had. Hold a lock meanwhile. */
export async function bringForward(client: pg.Client, folder: URL): Promise<MigrationReport> {
  const migrations = await readMigrations(folder);
  await client.query(
    'create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())',
  );
  const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from migrations');
  const done = new Map(rows.map((row) => [row.name, row.hash]));
  assertKnown(done, migrations);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (done.has(migration.name)) continue;
    await applyOne(client, migration);
    applied.push(migration.name);
  }
  return { applied, total: migrations.length };
}

/** True when the database has had exactly the migrations this program knows. */
export async function isMigrated(query: (text: string) => Promise<{ rows: { name: string }[] }>): Promise<boolean> {
  const known = await listMigrations(platformFolder);
  const { rows } = await query('select name from migrations order by name');
  return known.join() === rows.map((row) => row.name).join();
}

function assertKnown(done: Map<string, string>, migrations: { name: string; hash: string }[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.hash]));
  for (const [name, hash] of done) {
    const expected = known.get(name);
    if (expected === undefined) {
      throw new Error(
        `The database was used by a newer Latchkey (it has ${name}). Start that version, or use another database.`,
      );
    }
    if (expected !== hash) {
      throw new Error(
        `The migration ${name} was changed after the database had it. Restore the file; write a new one instead.`,
      );
    }
  }
}

async function applyOne(client: pg.Client, migration: { name: string; sql: string; hash: string }): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into migrations (name, hash) values ($1, $2)', [migration.name, migration.hash]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw new Error(`The migration ${migration.name} failed: ${reasonOf(error)}`, { cause: error });
  }
}
