import type { AppError, Log } from '@latchkey/kernel';
import type { FastifyRequest } from 'fastify';

/** Logs why a request got a status of 500 or above, with the original cause. */
export function logFailure(
  log: Log,
  error: unknown,
  mapped: AppError,
  { method, id: requestId, routeOptions }: Pick<FastifyRequest, 'id' | 'method' | 'routeOptions'>,
): void {
  const { code, message: reason, cause } = mapped;
  const fields = { route: routeOptions.url, method, requestId };
  if (code === 'NOT_CONFIGURED')
    log.warn('A request needs something that is not configured on this server.', { ...fields, reason });
  // Unavailability that an operation itself reports is not a server error.
  else if (code === 'UNAVAILABLE' && error === mapped)
    log.warn('An operation could not reach a service it depends on.', { ...fields, reason, cause });
  else if (code === 'UNAVAILABLE') log.error('A request could not reach the database.', { ...fields, cause });
  else log.error('A request failed unexpectedly.', { ...fields, cause });
}
