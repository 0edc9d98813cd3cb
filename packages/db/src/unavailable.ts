import { isReadOnlyRefusal } from './connection/writable.ts';

// SQLSTATE classes and codes that mean "not now": connection trouble, a login that is not let in, shutting down, too many
// connections, out of space.
const passingStates = /^(08|28|53|57P|58)/;
const passingErrnos = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'EMFILE']);
const passingMessages =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Client was closed|connection is not queryable|connection error/i;
// A transaction that lost a race: trying again is right, and nothing was written.
const lostRaces = new Set(['40001', '40P01']);

/** True when the database could not be asked just now, as opposed to having refused what was asked. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // The socket of a local database. A missing file is not an outage.
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return (
    // A server that takes no writes is being replaced by one that does.
    isReadOnlyRefusal({ code, message: error.message }) ||
    passingStates.test(code) ||
    passingErrnos.has(code) ||
    lostRaces.has(code) ||
    passingMessages.test(error.message)
  );
}
