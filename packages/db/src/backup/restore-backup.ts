import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { connectDirectly } from '../connection/connect-once.ts';
import { reasonOf } from '../connection/reason.ts';
import { applyNamed, migrationLock } from '../migrate.ts';
import { admitSigner, signerSchema } from '../signer-schema/admit-signer.ts';
import { prepareSignerSchema } from '../signer-schema/prepare.ts';
import { columnsOf, listMigrated } from './catalog.ts';
import { copyIn } from './copy.ts';
import { BackupError, type BackupHeader, type Frame, readFrames, type TableStart } from './format.ts';

export interface RestoreOptions {
  /** A direct connection as the owner of an empty database. */
  url: string;
  /** The setting it comes from, for messages. */
  variable: string;
  path: string;
  /** Refuses a backup that this process could not use, before anything is written. */
  accept(header: BackupHeader): void;
  /**
   * Checks what was restored, before it is committed. The signer's tables, if the file has them, are temporary ones in
   * the transaction, named after `signerCopy`.
   */
  verify(client: pg.Client, header: BackupHeader): Promise<void>;
  /** Whether to roll everything back once it was checked: the database stays empty. */
  isDrill?: boolean;
  progress(line: string): void;
}

export interface RestoreReport {
  tables: number;
  createdAt: string;
  /** Whether the file has the signer's tables, which `restoreSigner` restores. */
  hasSigner: boolean;
}

/** The names of the temporary copies of the signer's tables. */
export function signerCopy(table: string): string {
  return `signer_copy_${table}`;
}

/** Creates the backup's schema and fills it, in one transaction: if anything fails, the database stays empty. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { path, progress } = options;
  const frames = readFrames(read(path));
  const header = await readHeader(frames);
  options.accept(header);
  const client = await connectDirectly(options.url, options.variable);
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    await assertEmpty(client);
    progress(`${header.migrations.length} migrations`);
    await applyNamed(client, header.migrations);
    const tables = await withBareTables(client, () => fillTables(client, frames, progress));
    for (const { name, value, isCalled } of header.sequences)
      await client.query('select setval($1::regclass, $2, $3)', [
        `public.${client.escapeIdentifier(name)}`,
        value,
        isCalled,
      ]);
    // No worker runs them here.
    await client.query(
      `update jobs set state = 'ready', lease_owner = null, lease_until = null where state = 'running'`,
    );
    progress('opening sealed values');
    await options.verify(client, header);
    await client.query(options.isDrill ? 'rollback' : 'commit');
    if (!options.isDrill) {
      await admitSigner(client);
      await client.query('analyze').catch(() => undefined);
    }
    return { tables, createdAt: header.createdAt, hasSigner: header.signer !== undefined };
  } finally {
    await client.end();
    await frames.return(undefined);
  }
}

/** Restores the signer's tables of a file, as the signer, after the platform's were. If anything fails, no key is restored. */
export async function restoreSigner({ url, path }: { url: string; path: string }): Promise<{ keys: number }> {
  const frames = readFrames(read(path));
  const client = await connectDirectly(url, 'LATCHKEY_SIGNER_DATABASE_URL');
  try {
    const header = await readHeader(frames);
    if (header.signer === undefined) throw new BackupError('The backup does not include the keys of hosted wallets.');
    await prepareSignerSchema(url);
    await client.query('begin');
    const known = await listMigrated(client, signerSchema);
    const newer = header.signer.find(({ name }) => !known.some((one) => one.name === name));
    if (newer !== undefined)
      throw new BackupError(
        `The backup was made by a newer Latchkey (it has ${newer.name}). Restore it with that version.`,
      );
    const { rows } = await client.query<{ keys: number }>(`select count(*)::int as keys from ${signerSchema}.keys`);
    if (rows[0]?.keys !== 0) throw new BackupError('The signer already has keys. Restore them into a new database.');
    let next = await frames.next();
    while (!next.done) {
      const table = tableOf(next.value);
      if (table.schema === undefined) next = await skipRows(frames);
      else {
        await client.query(`delete from ${signerSchema}.${client.escapeIdentifier(table.name)}`);
        next = await copyRows(client, frames, table, columnsOf(client, table));
      }
    }
    const { rows: restored } = await client.query<{ keys: number }>(
      `select count(*)::int as keys from ${signerSchema}.keys`,
    );
    await client.query('commit');
    return { keys: restored[0]?.keys ?? 0 };
  } finally {
    await client.end();
    await frames.return(undefined);
  }
}

async function* read(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.once('error', (error) => unpacked.destroy(error));
  try {
    yield* file.pipe(unpacked);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new BackupError(`File not found: ${path}.`, { cause: error });
    throw error;
  } finally {
    file.destroy();
  }
}

async function readHeader(frames: AsyncIterator<Frame>): Promise<BackupHeader> {
  const { value, done } = await frames.next();
  const header: unknown = done || value.type !== 'H' ? undefined : JSON.parse(value.content.toString());
  if (!isHeader(header))
    throw new BackupError('This file is not a Latchkey backup, or its format is newer than this version supports.');
  return header;
}

function isHeader(value: unknown): value is BackupHeader {
  return (
    typeof value === 'object' &&
    value !== null &&
    'format' in value &&
    (value.format === 1 || value.format === 2) &&
    ['migrations', 'keys', 'sequences'].every((name) => Array.isArray(Reflect.get(value, name)))
  );
}

async function assertEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') limit 1`,
  );
  if (rows.length > 0)
    throw new BackupError(
      `The database is not empty: it has the table ${rows[0]?.name}. Restore into a new database, or into a new data folder.`,
    );
}

/** Drops foreign keys and triggers while tables are filled in any order, and restores them. */
async function withBareTables<Result>(client: pg.Client, fill: () => Promise<Result>): Promise<Result> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
  const triggers = async (change: 'disable' | 'enable') => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select distinct tgrelid::regclass::text as name from pg_trigger
       join pg_class c on c.oid = tgrelid where relnamespace = 'public'::regnamespace and not tgisinternal`,
    );
    for (const { name } of tables) await client.query(`alter table ${name} ${change} trigger user`);
  };
  await triggers('disable');
  for (const { drop } of rows) await client.query(drop);
  const result = await fill();
  for (const { add } of rows) await client.query(add);
  await triggers('enable');
  return result;
}

async function fillTables(
  client: pg.Client,
  frames: AsyncIterator<Frame>,
  progress: (line: string) => void,
): Promise<number> {
  let tables = 0;
  let next = await frames.next();
  while (!next.done) {
    const table = tableOf(next.value);
    progress(table.name);
    next = await (table.schema === undefined ? fillTable : copyAside)(client, frames, table);
    tables += 1;
  }
  return tables;
}

function tableOf({ type, content }: Frame): TableStart {
  if (type !== 'T') throw new BackupError('The backup is damaged.');
  return JSON.parse(content.toString());
}

type Next = Promise<IteratorResult<Frame>>;

/** Fills one table, and returns the frame after its rows. */
async function fillTable(client: pg.Client, frames: AsyncIterator<Frame>, table: TableStart): Next {
  // Rows that migrations inserted are in the backup too.
  await client.query(`delete from public.${client.escapeIdentifier(table.name)}`);
  return copyRows(client, frames, table, columnsOf(client, table));
}

/** Copies one of the signer's tables into a temporary one: this role has no access to the real one. */
async function copyAside(client: pg.Client, frames: AsyncIterator<Frame>, table: TableStart): Next {
  const name = client.escapeIdentifier(signerCopy(table.name));
  const columns = table.columns.map((column) => `${client.escapeIdentifier(column)} text`).join(', ');
  await client.query(`create temp table ${name} (${columns}) on commit drop`);
  return copyRows(client, frames, table, name);
}

async function copyRows(client: pg.Client, frames: AsyncIterator<Frame>, { name }: TableStart, into: string): Next {
  let next = await frames.next();
  async function* rows(): AsyncGenerator<Buffer> {
    for (; !next.done && next.value.type === 'D'; next = await frames.next()) yield next.value.content;
  }
  await copyIn(client, `copy ${into} from stdin`, rows()).catch((error: unknown) => {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`The table ${name} could not be restored: ${reasonOf(error)}`, { cause: error });
  });
  return next;
}

async function skipRows(frames: AsyncIterator<Frame>): Next {
  let next = await frames.next();
  while (!next.done && next.value.type === 'D') next = await frames.next();
  return next;
}
