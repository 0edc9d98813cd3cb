import { listWaitingMigrations } from '@latchkey/db';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import type { RunningDatabase } from '../run/find-database.ts';
import { prepareDatabase } from '../run/prepare-database.ts';
import { waitForDatabase } from '../run/wait-for-database.ts';
import { print, printError } from './print.ts';
import { addressOf, withDatabase } from './with-database.ts';

interface MigrateOptions {
  isDry: boolean;
  /** Also remove what only earlier versions need. */
  contract: boolean;
}

/** Migrates the database without starting anything on it, or reports what that would do. */
export async function runMigrate(config: Config, log: RootLog, { isDry, contract }: MigrateOptions): Promise<void> {
  await withDatabase(config, log, async (database) => {
    if (!database.isEmbedded)
      await waitForDatabase(database.url, log.for('database'), { seconds: config.databaseWaitSeconds });
    if (isDry) return describeWaiting(database, contract);
    const { applied } = await prepareDatabase(database, { contract, progress: printError });
    print(applied === 0 ? 'The database is up to date.' : `Applied ${applied} migrations.`);
    const rest = contract ? [] : await listWaiting(database, true);
    if (rest.length > 0)
      print(
        `${rest.length} more would remove what only the previous version needs. Once you will not return to it: latchkey migrate --contract`,
      );
  });
}

async function listWaiting(database: RunningDatabase, contract: boolean) {
  const { url, variable } = addressOf(database);
  return listWaitingMigrations(url, { variable, contract });
}

async function describeWaiting(database: RunningDatabase, contract: boolean): Promise<void> {
  const waiting = await listWaiting(database, contract);
  if (waiting.length === 0) return print('The database is up to date.');
  print(`${waiting.length} migrations would be applied:`);
  for (const { name, risks } of waiting) {
    print(`  ${name}`);
    for (const { statement, why } of risks) print(`      ${statement}\n        ${why}`);
  }
}
