import { directVariable, migrate, prepareTenantLogin, usualStatementTimeoutMs } from '@latchkey/db';
import type { RunningDatabase } from './find-database.ts';

/** The URLs with which the parts of a process open the database. */
export interface OpenableDatabase {
  databaseUrl: string;
  /** The same without a pooler, for code that needs a session. */
  directDatabaseUrl: string;
  tenantDatabaseUrl: string;
}

/** Migrates a database and sets up its logins. Returns how to open it, and the number of applied migrations. */
export async function prepareDatabase(
  database: Pick<RunningDatabase, 'url' | 'directUrl' | 'tenantUrl'>,
  progress: (line: string) => void = () => undefined,
): Promise<OpenableDatabase & { applied: number }> {
  const { url, directUrl } = database;
  const isPooled = directUrl !== url;
  const { applied } = await migrate(directUrl, {
    variable: directVariable(isPooled),
    progress,
    ...(isPooled && { loginTimeoutMs: usualStatementTimeoutMs }),
  });
  const tenantDatabaseUrl = await prepareTenantLogin(database);
  return { databaseUrl: url, directDatabaseUrl: directUrl, tenantDatabaseUrl, applied: applied.length };
}
