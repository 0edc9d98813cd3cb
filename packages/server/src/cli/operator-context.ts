import { type Context, checkMasterKey, contextFor } from '@latchkey/core';
import { migrate } from '@latchkey/db';
import { compose } from '../compose/index.ts';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { baseUrlOf } from '../run/addresses.ts';
import { findDatabase } from '../run/find-database.ts';
import { Lifetime } from '../run/lifetime.ts';
import { withTwins } from '../try-out/index.ts';

/** Runs an operator's command against the database of the running server, or starts the database for as long as it takes. */
export async function withOperator(config: Config, log: RootLog, work: (ctx: Context) => Promise<void>): Promise<void> {
  const lifetime = new Lifetime(log);
  try {
    const database = await findDatabase(config, log);
    lifetime.add('the database', database.stop);
    await migrate(database.url);
    const { platform, close } = await compose({
      config: withTwins(config),
      log,
      databaseUrl: database.url,
      baseUrl: baseUrlOf(config, config.port),
      smtpUrl: config.smtpUrl ?? `smtp://127.0.0.1:${config.mailCatcherPort}`,
      serverType: 'Operator',
    });
    lifetime.add('the database connections', close);
    await checkMasterKey(platform);
    await work(contextFor(platform, { kind: 'admin', name: 'command line' }));
  } finally {
    await lifetime.end();
  }
}
