import { mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from '../problem.mjs';
import { holdFolder, isAbandoned, readOwner } from './lock.mjs';

const server = 'packages/server/src/cli/main.ts';

/** @typedef {{ pid: number, command: string, url?: string }} Instance something that runs from a clone */
/**
 * Marks that this process uses the packages of a clone. Paused while the process waits for its own installation.
 * @typedef {{ pause: () => void, resume: () => void, alsoHeldBy: (pid: number) => void, release: () => void }} Mark
 */

/**
 * Marks this process as one that runs from a clone, so that no other replaces the packages under it. A read-only clone is used without a
 * mark.
 * @param {string} root
 * @param {string} command
 * @returns {Mark}
 */
export function markRunning(root, command) {
  const folder = join(marksFolder(root), String(process.pid));
  const about = { command, dataDir: resolve(root, process.env.LATCHKEY_DATA_DIR || 'data') };
  /** @type {ReturnType<typeof holdFolder> | undefined} */
  let held;
  const resume = () => {
    try {
      mkdirSync(folder, { recursive: true });
      held ??= holdFolder(folder, about);
    } catch {
      held = undefined;
    }
  };
  const pause = () => {
    held?.release();
    held = undefined;
  };
  resume();
  return { pause, resume, alsoHeldBy: (pid) => held?.alsoHeldBy(pid), release: pause };
}

/**
 * Lists what else runs from a clone. Removes marks of killed processes.
 * @param {string} root
 * @returns {Instance[]}
 */
export function findRunning(root) {
  const marked = list(marksFolder(root)).flatMap((name) => {
    const folder = join(marksFolder(root), name);
    if (name === String(process.pid)) return [];
    if (!isAbandoned(folder)) return readMark(folder);
    rmSync(folder, { recursive: true, force: true });
    return [];
  });
  const known = new Set(marked.flatMap(({ pids }) => pids));
  const started = startedDirectly(root).filter(({ pid }) => !known.has(pid));
  return [...marked.map(({ pids, ...instance }) => instance), ...started];
}

/**
 * Refuses to replace files that something running from this clone has open or will open: PostgreSQL loads its libraries on demand, and so
 * does the server.
 * @param {string} root
 */
export function refuseWhileRunning(root) {
  const instances = findRunning(root);
  if (instances.length === 0) return;
  const names = instances.map(
    ({ pid, command, url }) => `${command} (process ${[pid, url].filter(Boolean).join(', ')})`,
  );
  const pids = instances.map(({ pid }) => pid).join(' ');
  throw new Problem(
    `This command must install packages first, and that would delete files in use by what is running from this clone: ${names.join('; ')}. ` +
      `Nothing was changed. Stop it (Ctrl-C in its terminal, or "kill ${pids}") and run the command again, or run the ` +
      `command in another clone: git clone "${root}" "${root}-2"`,
  );
}

/** @param {string} folder */
function readMark(folder) {
  const owner = readOwner(folder);
  // Being written right now, or already gone.
  if (!owner) return [];
  const { pids, command = 'a command', dataDir = '' } = owner;
  const pid = pids.at(-1) ?? 0;
  return [{ pids, pid, command, url: addressOf(dataDir, pids) }];
}

/**
 * Returns the URL in the file that a complete Latchkey leaves in its data folder.
 * @param {string} dataDir
 * @param {number[]} pids
 * @returns {string | undefined}
 */
function addressOf(dataDir, pids) {
  try {
    const { pid, url } = JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8'));
    return pids.includes(pid) ? url : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns servers, workers and signers that a supervisor starts without npm, like the systemd units. Only detectable on Linux.
 * @param {string} root
 * @returns {Instance[]}
 */
function startedDirectly(root) {
  const home = realpathSync(root);
  return list('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
        const at = words.findIndex((word) => word === server || word === join(home, server));
        if (at < 0 || readlinkSync(`/proc/${name}/cwd`) !== home) return [];
        return [{ pid: Number(name), command: `latchkey ${words[at + 1]}` }];
      } catch {
        // It has ended, or belongs to another user.
        return [];
      }
    });
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** @param {string} root */
function marksFolder(root) {
  return join(root, '.runtime/running');
}
