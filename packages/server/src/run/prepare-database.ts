import { directVariable, migrate, prepareTenantLogin, usualStatementTimeoutMs } from '@latchkey/db';
import type { RunningDatabase } from './find-database.ts';

/** The addresses under which the parts of a process open the database. */
export interface OpenableDatabase {
  databaseUrl: string;
  /** The same without a pooler, for what needs a connection that stays. */
  directDatabaseUrl: string;
  tenantDatabaseUrl: string;
}

/** Brings a database forward and finds its logins. Answers how to open it, and how many migrations it had not had. */
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
