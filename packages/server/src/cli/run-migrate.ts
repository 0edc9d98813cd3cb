import { listWaitingMigrations } from '@latchkey/db';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { prepareDatabase } from '../run/prepare-database.ts';
import { print, printError } from './print.ts';
import { addressOf, withDatabase } from './with-database.ts';

/** Migrates the database without starting anything on it, or reports what that would do. */
export async function runMigrate(config: Config, log: RootLog, { isDry }: { isDry: boolean }): Promise<void> {
  await withDatabase(config, log, async (database) => {
    if (!isDry) {
      const { applied } = await prepareDatabase(database, printError);
      return print(applied === 0 ? 'The database is up to date.' : `Applied ${applied} migrations.`);
    }
    const { url, variable } = addressOf(database);
    const waiting = await listWaitingMigrations(url, variable);
    if (waiting.length === 0) return print('The database is up to date.');
    print(`${waiting.length} migrations would be applied:`);
    for (const { name, risks } of waiting) {
      print(`  ${name}`);
      for (const { statement, why } of risks) print(`      ${statement}\n        ${why}`);
    }
  });
}
