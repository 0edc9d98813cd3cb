import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  countKeyless,
  countWalletsWithKeys,
  paymentLedgerCheck,
  roleLedgerCheck,
  sealedColumns,
  signerSealed,
} from '@latchkey/core';
import {
  BackupError,
  type BackupHeader,
  createKeyring,
  fingerprintsOf,
  type Keyring,
  recordDrill,
  restoreBackup,
  signerCopy,
  systemRandom,
} from '@latchkey/db';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { idempotencySealed } from '../../http/idempotency.ts';
import type { RootLog } from '../../log.ts';
import { readSignerKeys } from '../../master-keys.ts';
import { findDatabase } from '../../run/find-database.ts';
import { need, numberOf } from '../command.ts';
import { print, printError } from '../print.ts';
import { addressOf, withDatabase } from '../with-database.ts';
import { openSealedValues } from './open-sealed.ts';
import { assertKeys, presentKeys } from './run.ts';

export interface DrillOptions {
  /** A backup, or a folder of which the newest one is tried. */
  place: string | undefined;
  /** An empty database; without one, that of the settings, or an embedded one that is started for the drill. */
  database: string | undefined;
  maxAgeHours: string | undefined;
  /** Whether to keep the result in the database that the backup is of, for the alerts. */
  isRecorded: boolean;
}

type Client = Parameters<Parameters<typeof restoreBackup>[0]['verify']>[0];

/**
 * Tries out a backup, and keeps the result in the database if it should. Returns the exit code: 0 if the backup is sound. A backup that
 * is missing or damaged is a failed drill, not one that was not made.
 */
export async function runDrill(config: Config, log: RootLog, options: DrillOptions): Promise<number> {
  let isSound = false;
  try {
    isSound = await tryOut(config, log, options);
  } finally {
    if (options.isRecorded)
      await withDatabase(config, log, (database) =>
        recordDrill({ ...addressOf(database), at: systemClock(), isSound }),
      );
  }
  return isSound ? 0 : 1;
}

/** Restores a backup to a scratch database, checks what is in it, and rolls everything back. Returns whether it is sound. */
async function tryOut(config: Config, log: RootLog, options: DrillOptions): Promise<boolean> {
  const path = await findBackup(need(options.place, 'backup or folder. Usage: latchkey drill <file or folder>'));
  const maxAgeHours = numberOf(options.maxAgeHours, Number.POSITIVE_INFINITY, 'max-age-hours');
  const keyring = createKeyring(await presentKeys(config), systemRandom);
  const faults: string[] = [];
  const report = await inScratchDatabase(config, log, options.database ?? config.drillDatabaseUrl, (url) =>
    restoreBackup({
      url,
      variable: '--database',
      path,
      isDrill: true,
      accept: (header) => assertKeys(header, fingerprintsOf(keyring)),
      verify: async (client, header) => {
        faults.push(...(await check(client, header, keyring, config)));
      },
      progress: printError,
    }),
  );
  print(`ok    ${report.tables} tables of ${path} were restored, with every constraint, and rolled back`);
  const ageHours = (systemClock().getTime() - Date.parse(report.createdAt)) / 3_600_000;
  const age = `The backup is ${describeAge(ageHours)} old (${report.createdAt}).`;
  if (ageHours > maxAgeHours) faults.push(`The backup is older than ${maxAgeHours} hours.`);
  for (const fault of faults) print(`FAIL  ${fault}`);
  print(faults.length === 0 ? `${age} It is sound.` : `${age} It is not sound.`);
  return faults.length === 0;
}

function describeAge(hours: number): string {
  if (hours < 1) return `${Math.round(hours * 60)} minutes`;
  return hours < 48 ? `${hours.toFixed(1)} hours` : `${(hours / 24).toFixed(1)} days`;
}

async function findBackup(place: string): Promise<string> {
  const entry = await stat(place).catch(() => undefined);
  if (entry === undefined) throw new BackupError(`File not found: ${place}.`);
  if (!entry.isDirectory()) return place;
  const names = (await readdir(place)).filter((name) => name.endsWith('.backup'));
  const files = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(place, name))).mtimeMs })));
  const [newest] = files.toSorted((one, other) => other.at - one.at);
  if (newest === undefined) throw new BackupError(`${place} has no file that ends in .backup.`);
  return join(place, newest.name);
}

async function inScratchDatabase<Result>(
  config: Config,
  log: RootLog,
  url: string | undefined,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  if (url !== undefined) return work(url);
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-drill-'));
  try {
    const own = { ...config, databaseUrl: undefined, directDatabaseUrl: undefined, dataDir };
    const database = await findDatabase(own, log);
    try {
      return await work(database.url);
    } finally {
      await database.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Checks a restored backup in its transaction. Prints what is sound, and returns what is not. */
async function check(client: Client, header: BackupHeader, keyring: Keyring, config: Config): Promise<string[]> {
  const parts: [string, () => Promise<string>][] = [
    ['open', async () => openServerValues(client, keyring)],
    ['signer', async () => openSignerKeys(client, header, config)],
    ['ledgers', async () => checkLedgers(client)],
  ];
  const faults: string[] = [];
  for (const [name, part] of parts) {
    await client.query(`savepoint ${name}`);
    try {
      print(`ok    ${await part()}`);
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      faults.push(error.message);
      await client.query(`rollback to savepoint ${name}`);
    }
  }
  return faults;
}

async function openServerValues(client: Client, keyring: Keyring): Promise<string> {
  const opened = await openSealedValues(client, keyring, [...sealedColumns, ...idempotencySealed]);
  return `${opened} encrypted values open with the master keys`;
}

/** Every hosted wallet needs its key, and the signer's master keys must open it. */
async function openSignerKeys(client: Client, { signer }: BackupHeader, config: Config): Promise<string> {
  const wallets = await countWalletsWithKeys(client);
  if (signer === undefined) {
    if (wallets === 0) return 'no hosted wallet has a key';
    throw new BackupError(
      `The keys of ${wallets} hosted wallets are not in the backup. Set LATCHKEY_SIGNER_DATABASE_URL for latchkey backup.`,
    );
  }
  const keyless = await count(client, countKeyless(signerCopy('keys')));
  if (keyless > 0) throw new BackupError(`The backup lacks the keys of ${keyless} of ${wallets} hosted wallets.`);
  const [first, ...rest] = await readSignerKeys(config);
  if (first === undefined)
    throw new BackupError(
      'The signer’s master keys are missing, so the keys of hosted wallets cannot be opened. Set LATCHKEY_SIGNER_MASTER_KEYS.',
    );
  const columns = signerSealed.map((column) => ({ ...column, table: signerCopy(column.table.replace('signer.', '')) }));
  await openSealedValues(client, createKeyring([first, ...rest], systemRandom), columns);
  return `the keys of ${wallets} hosted wallets are there and open with the signer’s master keys`;
}

async function checkLedgers(client: Client): Promise<string> {
  const faults: string[] = [];
  const sizes: string[] = [];
  for (const { rows, countRows, exceptions, countExceptions } of [roleLedgerCheck, paymentLedgerCheck]) {
    const found = await count(client, countExceptions);
    if (found > 0) faults.push(`${found} ${exceptions}`);
    sizes.push(`${await count(client, countRows)} ${rows}`);
  }
  faults.push(...(await findSpentNumbers(client)));
  if (faults.length > 0) throw new BackupError(`The ledgers do not add up: ${faults.join('; ')}.`);
  return `the ledgers add up: ${sizes.join(', ')}`;
}

/** Finds tables whose next row would get a number that is taken. */
async function findSpentNumbers(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; column: string; sequence: string }>(
    `select c.relname::text as name, a.attname::text as column, pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attidentity <> '' and not a.attisdropped`,
  );
  const spent: string[] = [];
  for (const { name, column, sequence } of rows) {
    const table = client.escapeIdentifier(name);
    const found = await count(
      client,
      `select (coalesce((select max(${client.escapeIdentifier(column)}) from ${table}), 0) >
         (select case when is_called then last_value else last_value - 1 end from ${sequence}))::int as count`,
    );
    if (found > 0) spent.push(`the numbers of ${name} start again`);
  }
  return spent;
}

async function count(client: Client, text: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(text);
  return Number(rows[0]?.count);
}
