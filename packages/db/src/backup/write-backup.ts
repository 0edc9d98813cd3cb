import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { connectDirectly } from '../connection/connect-once.ts';
import { reasonOf } from '../connection/reason.ts';
import { signerSchema } from '../signer-schema/admit-signer.ts';
import { columnsOf, listMigrated, listSequences, listSignerTables, listTables } from './catalog.ts';
import { copyOut } from './copy.ts';
import { BackupError, type BackupHeader, FrameWriter } from './format.ts';

export interface BackupOptions {
  /** A direct connection as the owner. */
  url: string;
  /** The setting it comes from, for messages. */
  variable: string;
  /** A direct connection as the signer, if its keys are to be in the file. */
  signerUrl?: string | undefined;
  path: string;
  keys: BackupHeader['keys'];
  now: Date;
  progress(line: string): void;
}

export interface BackupReport {
  tables: number;
  bytes: number;
  /** Whether the signer's tables are in the file. */
  hasSigner: boolean;
  /** Whether the database has a signer's schema. */
  isSignerThere: boolean;
}

/**
 * Writes every row of the platform to a file, as of one moment, while processes keep running. The file gets its name
 * when it is complete: a failure leaves no file that looks like a backup.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  const { path, progress } = options;
  if (await exists(path)) throw new BackupError(`${path} already exists. Choose another name.`);
  const draft = `${path}.partial`;
  const client = await connectDirectly(options.url, options.variable);
  let signer: pg.Client | undefined;
  try {
    await client.query('begin isolation level repeatable read read only');
    const isSignerThere = await hasSignerSchema(client);
    if (isSignerThere && options.signerUrl !== undefined) signer = await openSigner(client, options.signerUrl);
    const tables = await writeFrames(client, signer, draft, options);
    await settle(draft, path);
    const { size: bytes } = await stat(path);
    await client.query('commit');
    await record(client, options.now, bytes);
    progress(`${path}: ${tables} tables, ${bytes} bytes`);
    return { tables, bytes, hasSigner: signer !== undefined, isSignerThere };
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await signer?.end();
    await client.end();
  }
}

async function hasSignerSchema(client: pg.Client): Promise<boolean> {
  return (await client.query('select from pg_namespace where nspname = $1', [signerSchema])).rowCount === 1;
}

/** Connects as the signer, to the same moment of the same database. */
async function openSigner(client: pg.Client, url: string): Promise<pg.Client> {
  const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
  const signer = await connectDirectly(url, 'LATCHKEY_SIGNER_DATABASE_URL');
  try {
    await signer.query('begin isolation level repeatable read read only');
    await signer.query(`set transaction snapshot ${signer.escapeLiteral(rows[0]?.id ?? '')}`);
    return signer;
  } catch (error) {
    await signer.end();
    throw new BackupError(
      `LATCHKEY_SIGNER_DATABASE_URL must lead to the same database as DATABASE_URL: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** For the alert that no backup is made any more. A database that is not migrated yet is backed up too. */
async function record(client: pg.Client, now: Date, bytes: number): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('public.backups') is not null as exists`,
  );
  if (rows[0]?.exists)
    await client.query('insert into public.backups (created_at, bytes) values ($1, $2) on conflict do nothing', [
      now,
      bytes,
    ]);
}

async function writeFrames(
  client: pg.Client,
  signer: pg.Client | undefined,
  draft: string,
  options: BackupOptions,
): Promise<number> {
  const { keys, now, progress } = options;
  const migrations = await listMigrated(client).catch((error: unknown) => {
    throw new BackupError('This database has not been used by Latchkey, so there is nothing to back up.', {
      cause: error,
    });
  });
  const tables = [...(await listTables(client)), ...(signer === undefined ? [] : await listSignerTables(signer))];
  const gzip = createGzip({ level: 5 });
  const file = createWriteStream(draft, { mode: 0o600 });
  const written = finished(gzip.pipe(file));
  file.once('error', (error) => gzip.destroy(error));
  written.catch(() => undefined);
  const put = async (bytes: Buffer) => {
    if (file.errored) throw file.errored;
    if (!gzip.write(bytes)) await Promise.race([once(gzip, 'drain'), written]);
  };
  const frames = new FrameWriter();
  const header: BackupHeader = {
    format: signer === undefined ? 1 : 2,
    createdAt: now.toISOString(),
    migrations,
    keys,
    sequences: await listSequences(client),
    ...(signer !== undefined && { signer: await listMigrated(signer, signerSchema) }),
  };
  await put(frames.begin());
  await put(frames.frame('H', header));
  for (const [at, table] of tables.entries()) {
    progress(`${at + 1}/${tables.length} ${table.name}${table.rows > 0 ? ` (about ${table.rows} rows)` : ''}`);
    const { name, columns, schema } = table;
    await put(frames.frame('T', { name, columns, schema }));
    const pieces = gather((piece) => put(frames.frame('D', piece)));
    await copyOut(
      (schema === undefined ? client : signer) ?? client,
      `copy ${columnsOf(client, table)} to stdout`,
      pieces.add,
    );
    await pieces.flush();
  }
  await put(frames.end());
  gzip.end();
  await written;
  return tables.length;
}

const pieceBytes = 256 * 1024;

/** Rows arrive one by one; they are written in larger chunks. */
function gather(write: (piece: Buffer) => Promise<void>) {
  let kept: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    if (size > 0) await write(Buffer.concat(kept));
    kept = [];
    size = 0;
  };
  return {
    flush,
    add: async (chunk: Buffer) => {
      kept.push(chunk);
      size += chunk.length;
      if (size >= pieceBytes) await flush();
    },
  };
}

/** Survives a power loss: the content is on disk before the name is. */
async function settle(draft: string, path: string): Promise<void> {
  await sync(draft);
  await rename(draft, path);
  await sync(dirname(path));
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
