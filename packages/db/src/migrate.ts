import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { connectDirectly } from './connection/connect-once.ts';
import { limitLogin } from './connection/pooled.ts';
import { reasonOf } from './connection/reason.ts';
import { admitSigner } from './signer-schema/admit-signer.ts';
import { admitTenants, tenantRole } from './tenant-login/admit-tenants.ts';

const platformFolder = new URL('../migrations/', import.meta.url);
// Any constant works, as long as every process uses the same one.
export const migrationLock = 4_817_223;

export interface MigrationReport {
  applied: string[];
  total: number;
}

export interface MigrateOptions {
  /** The setting that the URL comes from, for messages. */
  variable?: string;
  /** The statement timeout to set on this login, if connections cannot set it themselves. */
  loginTimeoutMs?: number;
  /** Also removes what only versions before this one needed. They can no longer use the database then. */
  contract?: boolean;
  /** Called for each migration before it is applied, and for each wait. */
  progress?(line: string): void;
}

/**
 * `0070-name.sql` expands the schema: every version before works on with it. `0071-name.contract.sql` removes what an
 * earlier version needs, so it is applied on command only, and its first line names the first version that can do
 * without: `-- needs: 0.3.0`.
 */
async function listMigrations(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}-[a-z0-9-]+(\.contract)?\.sql$/.test(name)).sort();
}

function isContracting(name: string): boolean {
  return name.endsWith('.contract.sql');
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  return Promise.all(
    (await listMigrations(folder)).map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex'), needs: neededVersion(name, sql) };
    }),
  );
}

function neededVersion(name: string, sql: string): string | undefined {
  if (!isContracting(name)) return undefined;
  const [, version] = /^-- needs: (\d+\.\d+\.\d+)$/m.exec(sql) ?? [];
  if (version === undefined)
    throw new Error(`${name} must begin with the first version that works after it: -- needs: 1.2.3`);
  return version;
}

/**
 * Migrates a database. Many processes may call this at once: an advisory lock lets one work while the others wait, and
 * each migration commits together with the row that records it.
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

const createTable = `
  create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now());
  alter table migrations add column if not exists needs text`;

/** Applies the pending migrations of a folder to the first schema of the search path. Hold a lock meanwhile. */
export async function bringForward(
  client: pg.Client,
  folder: URL,
  {
    pace = usualPace,
    contract = false,
    progress = () => undefined,
  }: { pace?: Pace; contract?: boolean; progress?(line: string): void } = {},
): Promise<MigrationReport> {
  const migrations = await readMigrations(folder);
  const waiting = await listWaiting(client, migrations, contract);
  await client.query(createTable);
  for (const [at, migration] of waiting.entries()) {
    progress(`${at + 1}/${waiting.length} ${migration.name}`);
    await applyMigration(client, migration, pace, progress);
  }
  return { applied: waiting.map(({ name }) => name), total: migrations.length };
}

/** Lists the pending migrations. Refuses a database that was contracted for a newer version. */
async function listWaiting(
  client: pg.Client,
  migrations: readonly Migration[],
  contract: boolean,
): Promise<Migration[]> {
  const done = await readDone((text) => client.query(text));
  assertUnchanged(done, migrations);
  const beyond = contractedBeyond(done, migrations);
  if (beyond !== undefined) throw new Error(explainContracted(beyond));
  const pending = migrations.filter(({ name }) => !done.some((row) => row.name === name));
  // An empty database has no earlier version to spare.
  return contract || done.length === 0 ? pending : pending.filter(({ name }) => !isContracting(name));
}

type Query = (text: string) => Promise<{ rows: Done[] }>;

/** A migration that a database has. */
interface Done {
  name: string;
  hash: string;
  /** The first version that can use the database after it, if it contracted the schema. */
  needs: string | null;
}

async function readDone(query: Query): Promise<Done[]> {
  try {
    // Databases of earlier versions have no column `needs` yet.
    return (await query(`select name, hash, to_jsonb(migrations) ->> 'needs' as needs from migrations`)).rows;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === undefinedTable) return [];
    throw error;
  }
}

const undefinedTable = '42P01';

/** Returns a migration of a newer version that removed what this one needs. What only expands harms no version. */
function contractedBeyond(done: readonly Done[], migrations: readonly { name: string }[]): Done | undefined {
  return done.find(({ name, needs }) => needs !== null && !migrations.some((known) => known.name === name));
}

function explainContracted({ name, needs }: Done): string {
  return `The database was contracted for Latchkey ${needs} (by ${name}), so this older version cannot use it. Start ${needs} or later. To return to this version, restore a backup from before: latchkey restore <file>.`;
}

export interface SchemaFault {
  says: string;
  /** Whether migrating helps, so that a process may wait for it. */
  isPending: boolean;
}

/**
 * Returns why a process of this version cannot use a database, with the command that helps, or undefined if it can. A
 * database may be ahead: a newer version's expansions are no obstacle.
 */
export async function schemaFault(query: Query): Promise<SchemaFault | undefined> {
  const migrations = await readMigrations(platformFolder);
  const done = await readDone(query);
  assertUnchanged(done, migrations);
  const beyond = contractedBeyond(done, migrations);
  if (beyond !== undefined) return { says: explainContracted(beyond), isPending: false };
  const missing = migrations.filter(({ name }) => !isContracting(name) && !done.some((row) => row.name === name));
  const [first] = missing;
  if (first === undefined) return undefined;
  const count = missing.length === 1 ? '1 migration' : `${missing.length} migrations`;
  const says = `The database lacks ${count} of this version (the first is ${first.name}). Run: latchkey migrate`;
  return { says, isPending: true };
}

/** The same for a process that has not opened the database yet. */
export async function findSchemaFault(url: string, variable: string): Promise<SchemaFault | undefined> {
  const client = await connectDirectly(url, variable);
  try {
    return await schemaFault((text) => client.query(text));
  } finally {
    await client.end();
  }
}

/**
 * Applies exactly these migrations in the open transaction of an empty database. Refuses those that this version does
 * not have, and those with different content.
 */
export async function applyNamed(client: pg.Client, wanted: readonly { name: string; hash: string }[]): Promise<void> {
  const migrations = await readMigrations(platformFolder);
  assertUnchanged(wanted, migrations, 'backup');
  const unknown = wanted.find(({ name }) => !migrations.some((known) => known.name === name));
  if (unknown !== undefined)
    throw new Error(`The backup was made by a newer Latchkey (it has ${unknown.name}). Restore it with that version.`);
  await client.query(createTable);
  const names = new Set(wanted.map(({ name }) => name));
  for (const migration of migrations.filter(({ name }) => names.has(name))) await applyIn(client, migration);
}

export interface WaitingMigration {
  name: string;
  risks: readonly Risk[];
}

/** Returns what `migrate` would apply, and what of it could block running processes. Changes nothing. */
export async function listWaitingMigrations(
  url: string,
  { variable, contract = false }: { variable: string; contract?: boolean },
): Promise<WaitingMigration[]> {
  const client = await connectDirectly(url, variable);
  try {
    const migrations = await readMigrations(platformFolder);
    const { rows } = await client.query<{ isThere: boolean }>(
      `select to_regclass('migrations') is not null as "isThere"`,
    );
    const waiting = rows[0]?.isThere ? await listWaiting(client, migrations, contract) : migrations;
    return waiting.map(({ name, sql }) => ({ name, risks: risksIn(sql) }));
  } finally {
    await client.end();
  }
}

/** The first migrations before the 0.1.0 baseline, of the platform and of the signer. */
const preReleaseNames = ['0001-secrets.sql', '0001-keys.sql'];

function assertUnchanged(
  done: readonly { name: string; hash: string }[],
  migrations: readonly { name: string; hash: string }[],
  subject: 'database' | 'backup' = 'database',
): void {
  if (done.some(({ name }) => preReleaseNames.includes(name)))
    throw new Error(
      `The ${subject} was made by a pre-release version of Latchkey, before the 0.1.0 baseline, and cannot be upgraded. Start with an empty database.`,
    );
  const known = new Map(migrations.map((migration) => [migration.name, migration.hash]));
  for (const { name, hash } of done)
    if ((known.get(name) ?? hash) !== hash)
      throw new Error(
        `The migration ${name} was changed after it was applied. Restore the file and write a new migration instead.`,
      );
}

interface Migration {
  name: string;
  sql: string;
  hash: string;
  needs: string | undefined;
}

/** How a migration yields to running processes. */
interface Pace {
  /** How long a statement waits for a lock. Later statements queue behind it meanwhile. */
  lockTimeoutMs: number;
  /** How long one statement may take. */
  statementTimeoutMs: number;
  /** The delays between attempts that got no lock; after the last, it is given up. */
  pausesMs: readonly number[];
}

const usualPace: Pace = {
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 15 * 60_000,
  pausesMs: [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000],
};

// A lock timeout, or a deadlock that this side lost.
const lockTroubles = new Set(['55P03', '40P01']);

/** Applies one migration together with the row that records it. It yields to running work, and retries later. */
async function applyMigration(
  client: pg.Client,
  migration: Migration,
  { lockTimeoutMs, statementTimeoutMs, pausesMs }: Pace,
  progress: (line: string) => void,
): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      await client.query('begin');
      await client.query(
        `set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = ${statementTimeoutMs}`,
      );
      await applyIn(client, migration);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      const pauseMs = isLockTrouble(error) ? pausesMs[tried] : undefined;
      if (pauseMs === undefined) throw new Error(explain(migration, error, tried), { cause: error });
      progress(`${migration.name} is waiting for running work; retrying`);
      await delay(pauseMs);
    }
  }
}

/** Applies a migration in the open transaction. */
async function applyIn(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(migration.sql);
  const { name, hash, needs } = migration;
  await client.query('insert into migrations (name, hash, needs) values ($1, $2, $3)', [name, hash, needs]);
}

function isLockTrouble(error: unknown): boolean {
  return error instanceof Error && 'code' in error && lockTroubles.has(String(error.code));
}

function explain({ name }: Migration, error: unknown, tried: number): string {
  if (isLockTrouble(error))
    return `The migration ${name} could not get a lock after ${tried + 1} attempts: a long transaction holds a table that it changes. End that transaction (see pg_stat_activity) and start again.`;
  return `The migration ${name} failed: ${reasonOf(error)}`;
}

/** What is dangerous about a migration while processes of the previous version still run. */
interface Risk {
  statement: string;
  why: string;
}

const contracting = 'The previous version may still use this. Stop using it in one release, and remove it in the next.';
const scanning = 'This scans the whole table under a lock that blocks writes.';

const rules: readonly { pattern: RegExp; why: string }[] = [
  { pattern: /^drop (table|view|function|type|domain|sequence|materialized view)\b/, why: contracting },
  {
    pattern: /^alter table\b.*\bdrop (column\b|(?!constraint|not null|default|identity|expression)\w+)/,
    why: contracting,
  },
  { pattern: /^alter (table|type|function|view|sequence)\b.*\brename\b/, why: contracting },
  { pattern: /^truncate\b/, why: contracting },
  {
    pattern: /^alter table\b.*\balter (column )?\S+ (set data )?type\b/,
    why: 'This rewrites the whole table under a lock that blocks reads. Add another column instead.',
  },
  {
    pattern: /^alter table\b.*\badd column\b(?!.*\bdefault\b)(?!.*\bgenerated\b).*\bnot null\b/,
    why: 'The previous version does not set this column. Give it a default.',
  },
  {
    pattern: /^alter table\b.*\bset not null\b/,
    why: `${scanning} Add a check constraint as not valid, validate it, then set it.`,
  },
  {
    pattern: /^alter table\b.*\badd (constraint \S+ )?(check|foreign key)\b(?!.*\bnot valid\b)/,
    why: `${scanning} Add it as not valid, and validate it in a later migration.`,
  },
  { pattern: /^alter table\b.*\badd (constraint \S+ )?(unique|primary key|exclude)\b/, why: scanning },
  { pattern: /^create (unique )?index\b/, why: `${scanning} Say why the table is small.` },
  { pattern: /^(lock|cluster|reindex)\b|^vacuum full\b/, why: 'This takes a lock that blocks all access.' },
  {
    pattern: /^(update|delete from)\b(?!.*\bwhere\b)/,
    why: 'This locks every row until it ends. Change rows in batches, from a job.',
  },
];

/**
 * Finds statements of a migration that contract the schema or block running work. A table that the same file creates
 * has no users yet. A statement with a comment `-- safe: <reason>` above it is allowed.
 */
export function risksIn(sql: string): Risk[] {
  const statements = split(sql);
  const created = new Set(
    statements.flatMap(({ text }) => /^create (?:unlogged )?table (?:if not exists )?(\S+)/.exec(text)?.[1] ?? []),
  );
  return statements.flatMap(({ text, isSafe }) => {
    const table = tableOf(text);
    if (isSafe || (table !== undefined && created.has(table))) return [];
    const rule = rules.find(({ pattern }) => pattern.test(text));
    return rule === undefined ? [] : [{ statement: text.slice(0, 120), why: rule.why }];
  });
}

function tableOf(statement: string): string | undefined {
  return (
    /^alter table (?:if exists )?(?:only )?(\S+)/.exec(statement)?.[1] ??
    /^create (?:unique )?index .*?\bon (?:only )?([^\s(]+)/.exec(statement)?.[1] ??
    /^(?:update|delete from|truncate|lock(?: table)?) (?:only )?(\S+)/.exec(statement)?.[1]
  );
}

/** Returns the statements of a file, each in one line and lower case, without comments and function bodies. */
function split(sql: string): { text: string; isSafe: boolean }[] {
  // In one pass, since a comment may contain an apostrophe, and a string two dashes.
  const bare = sql.replaceAll(/--[^\n]*|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'/gs, (part) =>
    part.startsWith('--') ? part.replaceAll(';', ',') : "''",
  );
  // The body of a function in SQL contains semicolons.
  const whole = bare.replaceAll(/\bbegin atomic\b.*?\bend;/gis, ';');
  return whole.split(';').map((part) => ({
    text: part.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim().toLowerCase(),
    isSafe: /^\s*-- safe: \S.{9,}/m.test(part),
  }));
}
