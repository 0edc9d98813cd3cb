/** The embedded server cannot be used. The message says what was found and how to fix it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** The alternative on every machine, mentioned at the end of each error. */
export const useAnotherServer = 'set DATABASE_URL to a PostgreSQL server of your own';

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
