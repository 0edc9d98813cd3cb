import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { choosePort } from '../run/choose-port.ts';
import { findDatabase } from '../run/find-database.ts';
import { untilSignal } from '../run/until-signal.ts';
import { superviseServers } from './supervise.ts';

/** What is left of the time to stop when the processes that still run are ended. */
const marginMs = 1_000;
/** What a server cannot do without: two connections of the system and two of tenants. */
const fewestConnections = 4;

/** Runs the API in several processes on one port, until a signal ends them. */
export async function runProcesses(config: Config, log: RootLog, count: number): Promise<void> {
  await untilSignal(config, log, 'supervisor', async (lifetime) => {
    const port = await choosePort(config);
    // The embedded database is started here, so that it outlives every server; they find it running.
    const database = await findDatabase(config, log);
    lifetime.add('the database', database.stop, database.pid);
    const group = superviseServers({
      count,
      log: log.for('processes'),
      environment: { LATCHKEY_PORT: String(port), LATCHKEY_DATABASE_CONNECTIONS: String(shareOf(config, count)) },
      graceMs: config.stopSeconds * 1000 - marginMs,
    });
    lifetime.add('the server processes', group.stop);
    await group.serving;
    log.info(`Latchkey server is running in ${count} processes.`, { port });
  });
}

/** They share what one process may open, so that a machine with many cores does not use up the database's connections. */
function shareOf({ databaseConnections }: Pick<Config, 'databaseConnections'>, count: number): number {
  return Math.max(fewestConnections, Math.floor(databaseConnections / count));
}
