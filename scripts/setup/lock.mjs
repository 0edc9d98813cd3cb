import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const heartbeatMs = 5_000;
const pollMs = 250;
// A holder on this machine is checked by its processes; the limit is for a process id that was reused.
const goneHereAfterMs = 120_000;
const goneElsewhereAfterMs = 60_000;
const halfMadeAfterMs = 10_000;

/** @typedef {{ command?: string, dataDir?: string }} About what a holder tells of itself */
/** @typedef {About & { pids: number[], host: string }} Owner */

/**
 * Runs work that only one process at a time may do. The lock is a folder, because creating one either succeeds or fails; a lock whose
 * holder is dead is taken over.
 * @template T
 * @param {string} folder
 * @param {(alsoHeldBy: (pid: number) => void) => Promise<T>} work is given a way to name a child process that must
 *   have ended too before the lock counts as abandoned
 * @param {(holder: string) => void} onWait called once when another process holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(folder, work, onWait) {
  mkdirSync(dirname(folder), { recursive: true });
  let waiting = false;
  while (!acquire(folder)) {
    if (!waiting) onWait(readOwner(folder)?.pids[0]?.toString() ?? 'unknown');
    waiting = true;
    await sleep(pollMs);
  }
  const { alsoHeldBy, release } = holdFolder(folder);
  try {
    return await work(alsoHeldBy);
  } finally {
    release();
  }
}

/**
 * Holds an existing folder: records this process as its holder, with a heartbeat, until it is released.
 * @param {string} folder
 * @param {About} [about]
 */
export function holdFolder(folder, about = {}) {
  writeOwner(folder, [process.pid], about);
  const heartbeat = setInterval(() => touch(ownerFile(folder)), heartbeatMs).unref();
  return {
    /** @param {number} pid a child process that must have ended too before the folder counts as abandoned */
    alsoHeldBy: (pid) => writeOwner(folder, [process.pid, pid], about),
    release: () => {
      clearInterval(heartbeat);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} folder */
function acquire(folder) {
  if (make(folder)) return true;
  return isAbandoned(folder) && takeOver(folder);
}

/**
 * Checking and removing an abandoned lock happen under a second lock; without it, a slow second process could remove the lock that the
 * first has just created.
 * @param {string} folder
 */
function takeOver(folder) {
  const guard = `${folder}.takeover`;
  try {
    mkdirSync(guard);
  } catch {
    if (ageMs(guard) > halfMadeAfterMs) rmSync(guard, { recursive: true, force: true });
    return false;
  }
  try {
    if (!isAbandoned(folder)) return false;
    rmSync(folder, { recursive: true, force: true });
    return make(folder);
  } finally {
    rmdirSync(guard);
  }
}

/** @param {string} folder */
function make(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
  writeOwner(folder, [process.pid]);
  return true;
}

/**
 * @param {string} folder
 * @returns {boolean}
 */
export function isAbandoned(folder) {
  const owner = readOwner(folder);
  if (!owner) return ageMs(folder) > halfMadeAfterMs;
  const silentMs = ageMs(ownerFile(folder));
  if (owner.host !== hostname()) return silentMs > goneElsewhereAfterMs;
  return silentMs > goneHereAfterMs || !owner.pids.some(isAlive);
}

/** @param {number} pid */
function isAlive(pid) {
  // A restarted container reuses process ids: our own id in an old lock is not us.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Whether a process has ended but was not reaped, as in a container whose first process does not reap orphans.
 * @param {number} pid
 */
function isZombie(pid) {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, Date.now() / 1_000, Date.now() / 1_000);
  } catch {
    // The lock was removed manually; the work continues without it.
  }
}

/** @param {string} path */
function ageMs(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? Date.now() - stats.mtimeMs : 0;
}

/** @param {string} folder */
function ownerFile(folder) {
  return join(folder, 'owner.json');
}

/**
 * @param {string} folder
 * @param {number[]} pids
 * @param {About} about
 */
function writeOwner(folder, pids, about = {}) {
  const file = ownerFile(folder);
  writeFileSync(`${file}.new`, JSON.stringify({ ...about, pids, host: hostname() }));
  renameSync(`${file}.new`, file);
}

/**
 * @param {string} folder
 * @returns {Owner | undefined}
 */
export function readOwner(folder) {
  try {
    return JSON.parse(readFileSync(ownerFile(folder), 'utf8'));
  } catch {
    return undefined;
  }
}
