import { readFileSync, write } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hangSignal } from './agreed.mjs';
import { findPlace } from './find-place.mjs';
import { pass } from './pass.mjs';

/** The process is killed after this time in any case. */
const endWithinMs = 3_000;
/** How long children may take to stop gracefully, and then after a forced stop. */
const politeMs = 2_000;
const impoliteMs = 500;
const checkEveryMs = 20;

/**
 * Ends this process from another thread, because its main thread is stuck and its handlers, including those of signals,
 * never run. Children are stopped first. Nothing can keep the process alive, not even a full pipe or a dead disk.
 *
 * @param {object} about
 * @param {string} about.name
 * @param {number} about.stuckMs
 * @param {readonly number[]} about.children
 * @param {string} about.recordFile
 * @param {string} about.root
 */
export async function endProcess({ name, stuckMs, children, recordFile, root }) {
  void pass(endWithinMs).then(endNow);
  const childrenEnded = endChildren(children);
  const place = await findPlace(root);
  const line = {
    level: 50,
    time: new Date().toISOString(),
    part: 'watchdog',
    process: name,
    pid: process.pid,
    stuckSeconds: Math.round(stuckMs / 100) / 10,
    ...(place !== undefined && { place }),
    ...(children.length > 0 && { children }),
    msg: 'This process hangs: its event loop does not turn. The watchdog ends it.',
  };
  await Promise.allSettled([writeLog(line), countHang(recordFile, line), childrenEnded]);
  endNow();
}

function endNow() {
  process.kill(process.pid, hangSignal);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), checkEveryMs);
}

/**
 * SIGINT is a fast shutdown for PostgreSQL; SIGQUIT an immediate one, after which its next start recovers. Our own
 * programs stop gracefully at the first.
 * @param {readonly number[]} pids
 */
async function endChildren(pids) {
  for (const [signal, patienceMs] of /** @type {const} */ ([
    ['SIGINT', politeMs],
    ['SIGQUIT', impoliteMs],
  ])) {
    const left = pids.filter((pid) => !hasEnded(pid));
    for (const pid of left) tryKill(pid, signal);
    let isPatient = true;
    void pass(patienceMs).then(() => {
      isPatient = false;
    });
    while (isPatient && !left.every(hasEnded)) await delay(checkEveryMs);
  }
}

/** @param {object} line */
function writeLog(line) {
  return new Promise((resolve) => write(1, `${JSON.stringify(line)}\n`, resolve));
}

/**
 * Counts the hang in a file that the replacement of this process reads.
 * @param {string} file
 * @param {{ time: string, pid: number, place?: unknown }} line
 */
async function countHang(file, { time, pid, place }) {
  const before = await readFile(file, 'utf8')
    .then((text) => Number(JSON.parse(text).count))
    .catch(() => 0);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify({ count: before + 1, last: { time, pid, place } }), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/**
 * A child that has ended stays a zombie until its parent, which is stuck, collects it.
 * @param {number} pid
 */
function hasEnded(pid) {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''));
  } catch {
    return !tryKill(pid, 0);
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals | 0} signal
 */
function tryKill(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
