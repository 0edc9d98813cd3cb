import { setTimeout as delay } from 'node:timers/promises';
import { directVariable, findSchemaFault, migrate, prepareTenantLogin, usualStatementTimeoutMs } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import type { RunningDatabase } from './find-database.ts';
import type { Patience } from './wait-for-database.ts';

/** The URLs with which the parts of a process open the database. */
export interface OpenableDatabase {
  databaseUrl: string;
  /** The same without a pooler, for code that needs a session. */
  directDatabaseUrl: string;
  tenantDatabaseUrl: string;
}

type Addresses = Pick<RunningDatabase, 'url' | 'directUrl' | 'tenantUrl'>;

/** Migrates a database and sets up its logins. Returns how to open it, and the number of applied migrations. */
export async function prepareDatabase(
  database: Addresses,
  { contract = false, progress }: { contract?: boolean; progress?: (line: string) => void } = {},
): Promise<OpenableDatabase & { applied: number }> {
  const { url, directUrl } = database;
  const isPooled = directUrl !== url;
  const { applied } = await migrate(directUrl, {
    variable: directVariable(isPooled),
    contract,
    ...(progress !== undefined && { progress }),
    ...(isPooled && { loginTimeoutMs: usualStatementTimeoutMs }),
  });
  return { ...(await openable(database)), applied: applied.length };
}

const pauseMs = 1_000;

/**
 * Returns how to open a database that `latchkey migrate` prepares, and waits until it did. Refuses one that lacks
 * migrations of this version, or was contracted for a newer one.
 */
export async function openMigrated(
  database: Addresses,
  log: Log,
  { seconds, signal }: Patience,
): Promise<OpenableDatabase> {
  const { url, directUrl } = database;
  const startedMs = performance.now();
  for (let isFirst = true; ; isFirst = false) {
    const fault = await findSchemaFault(directUrl, directVariable(directUrl !== url));
    if (fault === undefined || signal?.aborted) return openable(database);
    if (!fault.isPending || performance.now() - startedMs >= seconds * 1000) throw new Error(fault.says);
    if (isFirst)
      log.warn('Waiting for the database to be migrated.', { reason: fault.says, givesUpInSeconds: seconds });
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

async function openable(database: Addresses): Promise<OpenableDatabase> {
  const { url, directUrl } = database;
  return { databaseUrl: url, directDatabaseUrl: directUrl, tenantDatabaseUrl: await prepareTenantLogin(database) };
}
