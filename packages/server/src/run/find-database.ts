import { join } from 'node:path';
import { startEmbeddedPostgres } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import type { Config } from '../config.ts';

export interface RunningDatabase {
  url: string;
  isEmbedded: boolean;
  stop(): Promise<void>;
}

/** The configured database, or the embedded one in the data folder: started here, or found running and shared. */
export async function findDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Log,
): Promise<RunningDatabase> {
  if (config.databaseUrl !== undefined)
    return { url: config.databaseUrl, isEmbedded: false, stop: async () => undefined };
  const postgres = await startEmbeddedPostgres({
    dataDir: join(config.dataDir, 'postgres'),
    log: (line) => log.for('database').info(line),
  });
  return { url: postgres.url, isEmbedded: true, stop: () => postgres.stop() };
}
