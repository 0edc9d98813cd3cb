import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres, tenantUrlOf } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { membership } from '../processes/member.ts';
import { isAlive } from './is-alive.ts';

export interface RunningDatabase {
  url: string;
  /** The same without a transaction-mode pooler, for code that needs a session. */
  directUrl: string;
  /** The same database for the tenant login, as far as known before connecting. */
  tenantUrl?: string;
  isEmbedded: boolean;
  /** The embedded server, if this process has to stop it. */
  pid?(): number | undefined;
  stop(): Promise<void>;
}

const watchMs = 500;
const longestPauseMs = 10_000;

/**
 * Returns the configured database, or the embedded one in the data folder: started here, or found running and shared.
 */
export async function findDatabase(
  config: Pick<Config, 'databaseUrl' | 'directDatabaseUrl' | 'tenantDatabaseUrl' | 'dataDir'>,
  log: Log,
): Promise<RunningDatabase> {
  const { databaseUrl: url, directDatabaseUrl: directUrl = url, tenantDatabaseUrl: tenantUrl } = config;
  if (url !== undefined && directUrl !== undefined)
    return {
      url,
      directUrl,
      ...(tenantUrl !== undefined && { tenantUrl }),
      isEmbedded: false,
      stop: async () => undefined,
    };
  if (directUrl !== undefined)
    throw new Error('LATCHKEY_DIRECT_DATABASE_URL is set, so DATABASE_URL must be set to the same database too.');
  const part = log.for('database');
  const start = () =>
    startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres'), log: (line) => part.debug(line) });
  const postgres = await start();
  // Only the supervisor of a group restarts the database. If a member did, it could start one while a hung supervisor
  // is being killed, then end with that supervisor and leave the database running.
  return membership() === undefined ? superviseEmbedded(postgres, start, part) : embedded(() => postgres);
}

function embedded(current: () => EmbeddedPostgres, stop = () => current().stop()): RunningDatabase {
  const { url } = current();
  return {
    url,
    directUrl: url,
    tenantUrl: tenantUrlOf(url),
    isEmbedded: true,
    pid: () => (current().owned ? current().pid : undefined),
    stop,
  };
}

/** Restarts the embedded server when it exits unexpectedly. Its address stays the same. */
function superviseEmbedded(first: EmbeddedPostgres, start: () => Promise<EmbeddedPostgres>, log: Log): RunningDatabase {
  let postgres = first;
  let restart: Promise<void> | undefined;
  let failures = 0;
  let nextTry = 0;
  const timer = setInterval(() => {
    if (restart !== undefined || performance.now() < nextTry || isAlive(postgres.pid)) return;
    if (failures === 0) log.warn('The embedded PostgreSQL exited unexpectedly; restarting it.', { pid: postgres.pid });
    restart = start()
      .then((started) => {
        postgres = started;
        if (failures > 0) log.info('The embedded PostgreSQL is running again.', { pid: started.pid });
        failures = 0;
      })
      .catch((error: unknown) => {
        const pauseMs = Math.min(watchMs * 2 ** failures, longestPauseMs);
        failures += 1;
        nextTry = performance.now() + pauseMs;
        log.error('The embedded PostgreSQL could not be restarted; will keep trying.', { error, pauseMs });
      })
      .finally(() => {
        restart = undefined;
      });
  }, watchMs);
  return embedded(
    () => postgres,
    async () => {
      clearInterval(timer);
      await restart;
      await postgres.stop();
    },
  );
}
