import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { countWalletsWithKeys, sealedColumns } from '@latchkey/core';
import {
  BackupError,
  type BackupHeader,
  createKeyring,
  fingerprintsOf,
  type MasterKey,
  restoreBackup,
  restoreSigner,
  signerUrlOf,
  systemRandom,
  writeBackup,
} from '@latchkey/db';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { idempotencySealed } from '../../http/idempotency.ts';
import type { RootLog } from '../../log.ts';
import { loadMasterKeys, readServerKeyFile } from '../../master-keys.ts';
import type { RunningDatabase } from '../../run/find-database.ts';
import { need, numberOf, UsageError } from '../command.ts';
import { print, printError } from '../print.ts';
import { addressOf, withDatabase } from '../with-database.ts';
import { openSealedValues } from './open-sealed.ts';

export interface BackupTarget {
  /** A new file, or a folder that gets a file with the time in its name. */
  place: string | undefined;
  /** How many such files of the folder to keep. By default, all. */
  keep: string | undefined;
}

/** Backs up everything to a file while processes keep running. Does not migrate. */
export async function runBackup(config: Config, log: RootLog, { place, keep }: BackupTarget): Promise<void> {
  const target = need(place, 'file name or folder. Usage: latchkey backup <file or folder>');
  const kept = numberOf(keep, Number.POSITIVE_INFINITY, 'keep');
  const isFolder = (await stat(target).catch(() => undefined))?.isDirectory() === true;
  if (keep !== undefined && !isFolder) throw new UsageError('--keep needs a folder that exists.');
  const path = isFolder ? join(target, nameAt(systemClock())) : target;
  const keyring = createKeyring(await presentKeys(config), systemRandom);
  await withDatabase(config, log, async (database) => {
    const { tables, bytes, hasSigner, isSignerThere } = await writeBackup({
      ...addressOf(database),
      signerUrl: signerAddress(config, database),
      path,
      keys: fingerprintsOf(keyring),
      now: systemClock(),
      progress: printError,
    });
    print(`Wrote ${tables} tables to ${path} (${bytes} bytes).`);
    print(`Store the master keys separately: ${fingerprintsOf(keyring).map(describeKey).join(', ')}.`);
    if (hasSigner)
      print(
        'It includes the sealed keys of hosted wallets. Store the signer’s master keys separately too: LATCHKEY_SIGNER_MASTER_KEYS, or the file signer-keys.',
      );
    else if (isSignerThere)
      print(
        'It does not include the keys of hosted wallets, which only the signer’s login reads. Set LATCHKEY_SIGNER_DATABASE_URL for this command to include them.',
      );
  });
  if (isFolder) await removeOlder(target, kept);
}

const nameAt = (now: Date) => `latchkey-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`;

/** Only files with a name of ours: others in the folder are not ours to remove. Their names sort by time. */
async function removeOlder(folder: string, kept: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^latchkey-\d{8}T\d{6}Z\.backup$/.test(name)).toSorted();
  for (const name of names.slice(0, Math.max(0, names.length - kept))) {
    await rm(join(folder, name));
    print(`Removed ${name}.`);
  }
}

/**
 * Restores a file to an empty database, and commits only if every sealed value opens with the configured master keys.
 * Then restores the keys of hosted wallets, or only them.
 */
export async function runRestore(
  config: Config,
  log: RootLog,
  file: string | undefined,
  isSignerOnly: boolean,
): Promise<void> {
  const path = need(file, 'file name. Usage: latchkey restore <file>');
  if (isSignerOnly) return withDatabase(config, log, (database) => restoreKeys(config, database, path));
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
    if (report.hasSigner) await restoreKeys(config, database, path);
    else if (keyless > 0)
      print(
        `The backup does not include the keys of ${keyless} hosted wallets. Restore the signer schema before anyone signs (docs/operating.md).`,
      );
  });
}

async function restoreKeys(config: Config, database: RunningDatabase, path: string): Promise<void> {
  const url = signerAddress(config, database);
  if (url === undefined)
    throw new BackupError(
      `The keys of hosted wallets are not restored yet. Set LATCHKEY_SIGNER_DATABASE_URL and run: latchkey restore ${path} --signer`,
    );
  const { keys } = await restoreSigner({ url, path });
  print(`Restored the keys of ${keys} hosted wallets.`);
}

/** The address of the signer's login: the configured one, or that of the embedded database. */
function signerAddress({ signer }: Pick<Config, 'signer'>, { url, isEmbedded }: RunningDatabase): string | undefined {
  return signer.databaseUrl ?? (isEmbedded ? signerUrlOf(url) : undefined);
}

/** Returns the existing keys. Never creates one: a new key could not decrypt anything. */
export async function presentKeys(config: Config): Promise<[MasterKey, ...MasterKey[]]> {
  if (config.masterKeys.length > 0) return loadMasterKeys(config);
  const [first, ...rest] = await readServerKeyFile(config);
  if (first === undefined)
    throw new BackupError(
      'The master keys are missing. Set LATCHKEY_MASTER_KEYS, or put the master-keys file in the data folder.',
    );
  return [first, ...rest];
}

/** Refuses a backup whose values these keys cannot open. */
export function assertKeys({ keys }: BackupHeader, present: readonly { id: string; fingerprint: string }[]): void {
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
