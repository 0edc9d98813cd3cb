import { type Context, checkMasterKey, contextFor, type Services } from '@latchkey/core';
import { listAlive } from '@latchkey/db';
import { compose } from '../compose/index.ts';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { baseUrlOf } from '../run/addresses.ts';
import { besideRunning } from '../run/beside-running.ts';
import { findDatabase } from '../run/find-database.ts';
import { Lifetime } from '../run/lifetime.ts';
import { openMigrated, prepareDatabase } from '../run/prepare-database.ts';
import { findRunning } from '../run/running-file.ts';
import { withEmulators } from '../sandbox/index.ts';

/** Returns the base URL that a running server on this database reports. */
export async function findServedUrl({ db }: Pick<Services, 'db'>): Promise<string | undefined> {
  return (await listAlive(db.system)).find(({ baseUrl }) => baseUrl !== undefined)?.baseUrl;
}

/**
 * Runs an operator's command against the running server's database, or starts the database for the command. Emulators
 * are reachable only while the `npm start` that runs them uses the same data folder.
 */
export async function withOperator(
  given: Config,
  log: RootLog,
  work: (ctx: Context, config: Config) => Promise<void>,
): Promise<void> {
  const lifetime = new Lifetime(log);
  try {
    const running = await findRunning(given.dataDir);
    const beside = besideRunning(given, running);
    const database = await findDatabase(beside, log);
    lifetime.add('the database', database.stop);
    const { databaseUrl, directDatabaseUrl, tenantDatabaseUrl } = database.isEmbedded
      ? await prepareDatabase(database)
      : await openMigrated(database, log.for('database'), { seconds: 0 });
    const config = running?.sampleWorld ? withEmulators(beside) : beside;
    const { services, close } = await compose({
      config,
      log,
      databaseUrl,
      directDatabaseUrl,
      tenantDatabaseUrl,
      baseUrl: baseUrlOf(config, config.port),
      smtpUrl: config.smtpUrl ?? (running?.mailCatcher ? `smtp://127.0.0.1:${config.mailCatcherPort}` : undefined),
      serverType: 'Operator',
    });
    lifetime.add('the database connections', close);
    await checkMasterKey(services);
    const baseUrl = config.baseUrl ?? (await findServedUrl(services)) ?? services.settings.baseUrl;
    const served = { ...services, settings: { ...services.settings, baseUrl } };
    await work(contextFor(served, { kind: 'admin', name: 'command line' }), config);
  } finally {
    await lifetime.end();
  }
}
