import { directVariable } from '@latchkey/db';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { besideRunning } from '../run/beside-running.ts';
import { findDatabase, type RunningDatabase } from '../run/find-database.ts';
import { Lifetime } from '../run/lifetime.ts';
import { findRunning } from '../run/running-file.ts';

/** Runs a command on the database without migrating it or starting any other part. */
export async function withDatabase(
  given: Config,
  log: RootLog,
  work: (database: RunningDatabase) => Promise<void>,
): Promise<void> {
  const lifetime = new Lifetime(log);
  try {
    const config = besideRunning(given, await findRunning(given.dataDir));
    const database = await findDatabase(config, log);
    lifetime.add('the database', database.stop);
    await work(database);
  } finally {
    await lifetime.end();
  }
}

/** Returns the address that maintenance commands use, and the setting it comes from. */
export function addressOf({ url, directUrl }: Pick<RunningDatabase, 'url' | 'directUrl'>): {
  url: string;
  variable: string;
} {
  return { url: directUrl, variable: directVariable(directUrl !== url) };
}
