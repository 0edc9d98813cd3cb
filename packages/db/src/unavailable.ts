import { isReadOnlyRefusal } from './connection/writable.ts';

// SQLSTATE classes and codes that mean "not now": connection problems, a refused login, shutdown, too many connections,
// out of space.
const passingStates = /^(08|28|53|57P|58)/;
const passingErrnos = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'EMFILE']);
const passingMessages =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client was closed|connection is not queryable|connection error/i;
// A transaction that lost a race: a retry is right, and nothing was written.
const lostRaces = new Set(['40001', '40P01']);

/** Whether a transaction lost a race with another one and can be repeated. */
export function isLostRace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && lostRaces.has(error.code);
}

/** Whether the database was unavailable, as opposed to having refused the statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // The socket of a local database. A missing file is not an outage.
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return (
    // A read-only server is being replaced by one that accepts writes.
    isReadOnlyRefusal({ code, message: error.message }) ||
    passingStates.test(code) ||
    passingErrnos.has(code) ||
    lostRaces.has(code) ||
    passingMessages.test(error.message)
  );
}
