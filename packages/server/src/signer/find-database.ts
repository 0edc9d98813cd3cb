import { signerRole, signerUrlOf } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { findDatabase, type RunningDatabase } from '../run/find-database.ts';

/** The database as the signer's role opens it: the configured one, or the embedded one of the data folder. */
export async function findSignerDatabase(
  config: Pick<Config, 'databaseUrl' | 'directDatabaseUrl' | 'tenantDatabaseUrl' | 'dataDir' | 'signer'>,
  log: Log,
): Promise<RunningDatabase> {
  const { databaseUrl } = config.signer;
  if (databaseUrl !== undefined)
    return { url: databaseUrl, directUrl: databaseUrl, isEmbedded: false, stop: async () => undefined };
  if (config.databaseUrl !== undefined)
    throw new Error(
      `Set LATCHKEY_SIGNER_DATABASE_URL to the same database with a role of its own, for example ${signerRole}.`,
    );
  const database = await findDatabase(config, log);
  const url = signerUrlOf(database.url);
  return { ...database, url, directUrl: url };
}
