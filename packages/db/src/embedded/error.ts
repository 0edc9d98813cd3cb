/** The embedded server cannot be used. The message says what was found and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** The way out that every machine has: each refusal ends with it. */
export const useAnotherServer = 'set DATABASE_URL to a PostgreSQL server of your own';

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
