import { type Context, checkMasterKey, contextFor } from '@latchkey/core';
import { migrate, prepareTenantLogin } from '@latchkey/db';
import { compose } from '../compose/index.ts';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { baseUrlOf } from '../run/addresses.ts';
import { findDatabase } from '../run/find-database.ts';
import { Lifetime } from '../run/lifetime.ts';
import { findBrought } from '../run/running-file.ts';
import { withTwins } from '../try-out/index.ts';

/**
 * Runs an operator's command against the database of the running server, or starts the database for as long as it takes.
 * Stand-ins are known to it only while the `npm start` that brought them runs on the same data folder.
 */
export async function withOperator(
  given: Config,
  log: RootLog,
  work: (ctx: Context, config: Config) => Promise<void>,
): Promise<void> {
  const lifetime = new Lifetime(log);
  try {
    const database = await findDatabase(given, log);
    lifetime.add('the database', database.stop);
    await migrate(database.url);
    const tenantDatabaseUrl = await prepareTenantLogin(database);
    const { sampleWorld, mailCatcher } = await findBrought(given.dataDir);
    const config = sampleWorld ? withTwins(given) : given;
    const { services, close } = await compose({
      config,
      log,
      databaseUrl: database.url,
      tenantDatabaseUrl,
      baseUrl: baseUrlOf(config, config.port),
      smtpUrl: config.smtpUrl ?? (mailCatcher ? `smtp://127.0.0.1:${config.mailCatcherPort}` : undefined),
      serverType: 'Operator',
    });
    lifetime.add('the database connections', close);
    await checkMasterKey(services);
    await work(contextFor(services, { kind: 'admin', name: 'command line' }), config);
  } finally {
    await lifetime.end();
  }
}
