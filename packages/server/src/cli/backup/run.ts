import { countWalletsWithKeys, type SealedColumn, sealedColumns } from '@latchkey/core';
import {
  BackupError,
  type BackupHeader,
  createKeyring,
  fingerprintsOf,
  type Keyring,
  type MasterKey,
  restoreBackup,
  SealError,
  systemRandom,
  writeBackup,
} from '@latchkey/db';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { idempotencySealed } from '../../http/idempotency.ts';
import type { RootLog } from '../../log.ts';
import { loadMasterKeys, readServerKeyFile } from '../../master-keys.ts';
import { need } from '../command.ts';
import { print, printError } from '../print.ts';
import { addressOf, withDatabase } from '../with-database.ts';

/** Backs up everything to a file while processes keep running. Does not migrate: the database stays unchanged. */
export async function runBackup(config: Config, log: RootLog, file: string | undefined): Promise<void> {
  const path = need(file, 'file name. Usage: latchkey backup <file>');
  const keyring = createKeyring(await presentKeys(config), systemRandom);
  await withDatabase(config, log, async (database) => {
    const report = await writeBackup({
      ...addressOf(database),
      path,
      keys: fingerprintsOf(keyring),
      now: systemClock(),
      progress: printError,
    });
    print(`Wrote ${report.tables} tables to ${path} (${report.bytes} bytes).`);
    print(`Store the master keys separately: ${fingerprintsOf(keyring).map(describeKey).join(', ')}.`);
    print(
      'It does not include hosted-wallet keys, which only the signer can read. Back them up too: pg_dump --schema=signer (docs/operating.md).',
    );
  });
}

/**
 * Restores a file to an empty database, and commits only if every sealed value opens with the configured master keys.
 */
export async function runRestore(config: Config, log: RootLog, file: string | undefined): Promise<void> {
  const path = need(file, 'file name. Usage: latchkey restore <file>');
  const keyring = createKeyring(await presentKeys(config), systemRandom);
  await withDatabase(config, log, async (database) => {
    let keyless = 0;
    const report = await restoreBackup({
      ...addressOf(database),
      path,
      accept: (header) => assertKeys(header, fingerprintsOf(keyring)),
      verify: async (client) => {
        const opened = await openSealedValues(client, keyring, [...sealedColumns, ...idempotencySealed]);
        printError(`${opened} encrypted values verified`);
        keyless = await countWalletsWithKeys(client);
      },
      progress: printError,
    });
    print(`Restored ${report.tables} tables as of ${report.createdAt}. Start Latchkey on this database.`);
    if (keyless > 0)
      print(
        `The backup does not include the keys of ${keyless} hosted wallets. Restore the signer schema before anyone signs (docs/operating.md).`,
      );
  });
}

/** Returns the existing keys. Never creates one: a new key could not decrypt anything. */
async function presentKeys(config: Config): Promise<[MasterKey, ...MasterKey[]]> {
  if (config.masterKeys.length > 0) return loadMasterKeys(config);
  const [first, ...rest] = await readServerKeyFile(config);
  if (first === undefined)
    throw new BackupError(
      'The master keys are missing. Set LATCHKEY_MASTER_KEYS, or put the master-keys file in the data folder.',
    );
  return [first, ...rest];
}

function assertKeys({ keys }: BackupHeader, present: readonly { id: string; fingerprint: string }[]): void {
  const [current] = keys;
  const found = present.find(({ id }) => id === current?.id);
  if (current !== undefined && found?.fingerprint !== current.fingerprint)
    throw new BackupError(
      `The backup needs the master key ${describeKey(current)}. Configured: ${present.map(describeKey).join(', ')}. Nothing was restored.`,
    );
}

function describeKey({ id, fingerprint }: { id: string; fingerprint: string }): string {
  return `${id} (${fingerprint})`;
}

interface Queryable {
  query(text: string): Promise<{ rows: { ids: string[]; sealed: string }[] }>;
}

const batch = 1_000;

/** Decrypts every sealed value of a database, and returns how many there are. */
async function openSealedValues(
  client: Queryable,
  keyring: Pick<Keyring, 'open'>,
  columns: readonly SealedColumn[],
): Promise<number> {
  let opened = 0;
  const closed: string[] = [];
  for (const { table, column, idColumns, placeOf } of columns) {
    const ids = idColumns.map((id) => `${quoted(id)}::text`).join(', ');
    await client.query(
      `declare sealed no scroll cursor for select array[${ids}] as ids, ${quoted(column)}::text as sealed
       from ${quoted(table)} where ${quoted(column)} is not null`,
    );
    for (;;) {
      const { rows } = await client.query(`fetch ${batch} from sealed`);
      for (const row of rows) {
        const place = placeOf(...row.ids);
        if (opens(keyring, place, row.sealed)) opened += 1;
        else closed.push(place);
      }
      if (rows.length < batch) break;
    }
    await client.query('close sealed');
  }
  if (closed.length > 0)
    throw new BackupError(
      `${closed.length} encrypted values cannot be decrypted with any of the master keys, for example ${closed.slice(0, 3).join(', ')}. Add the older keys after the current one. Nothing was restored.`,
    );
  return opened;
}

function opens(keyring: Pick<Keyring, 'open'>, place: string, sealed: string): boolean {
  try {
    keyring.open(place, sealed);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
