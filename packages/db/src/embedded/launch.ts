import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './error.ts';
import type { Running } from './find-running.ts';
import type { Layout } from './layout.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { childEnvironment } from './run-program.ts';
import { port } from './socket-folder.ts';

export interface LaunchOptions {
  /** The program and its command prefix. */
  command: string[];
  settings: Record<string, string>;
  socketFolder: string;
  log: (line: string) => void;
}

export type Launch = ({ kind: 'ready' } & Running) | { kind: 'ended'; reason: string; lastLines: string };

const pollMs = 10;
const slowMs = 5_000;
const maxLogBytes = 8 * 1024 * 1024;
const shownLogLines = 15;

// Sized for a small machine that also runs everything else.
const defaults: Record<string, string> = {
  max_connections: '60',
  shared_buffers: '64MB',
  effective_cache_size: '256MB',
  maintenance_work_mem: '32MB',
  max_wal_size: '512MB',
  // A server that restarts itself with a full disk can hang forever, even when there is space again: neither running
  // nor stopped. One that exits is restarted by its supervisor.
  restart_after_crash: 'off',
  // Short queries do not benefit from these two, and parallel workers need more of /dev/shm than a container has.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Statements and the values of a violated key may be secrets: neither belongs in a log file.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/** Starts the server and waits until it accepts connections or exits; recovery after a crash may take a while. */
export async function launch(layout: Layout, options: LaunchOptions): Promise<Launch> {
  const logStart = await rotateLog(layout.logFile);
  const logHandle = await open(layout.logFile, 'a', 0o600);
  const child = spawnServer(layout.cluster, options, logHandle.fd);
  let ending: string | undefined;
  child.once('error', (error) => {
    ending = error.message;
  });
  child.once('exit', (code, signal) => {
    ending = signal ?? `exit code ${code}`;
  });
  await logHandle.close();

  const slow = setTimeout(options.log, slowMs, 'PostgreSQL is slow to start: it may be recovering from a crash.');
  try {
    while (ending === undefined) {
      const file = await readPostmasterFile(layout.cluster);
      if (typeof file === 'object' && file.isReady && file.pid === child.pid) {
        letRun(child, layout, options);
        return { kind: 'ready', pid: file.pid, socketFolder: options.socketFolder };
      }
      await delay(pollMs);
    }
  } finally {
    clearTimeout(slow);
  }
  return { kind: 'ended', reason: ending, lastLines: await readLastLines(layout.logFile, logStart) };
}

function spawnServer(cluster: string, options: LaunchOptions, logFd: number): ChildProcess {
  const [program = '', ...args] = [...options.command, ...serverArguments(cluster, options)];
  return spawn(program, args, {
    // In its own session it does not get our Ctrl-C, so that we can stop it gracefully.
    detached: true,
    stdio: ['ignore', logFd, logFd],
    env: childEnvironment,
    cwd: '/',
  });
}

function letRun(child: ChildProcess, layout: Layout, { log }: LaunchOptions): void {
  child.unref();
  child.once('exit', (code, signal) => {
    if (code !== 0) log(`PostgreSQL exited unexpectedly (${signal ?? `exit code ${code}`}): see ${layout.logFile}.`);
  });
}

function serverArguments(cluster: string, { settings, socketFolder }: LaunchOptions): string[] {
  const all = {
    ...defaults,
    ...settings,
    port: String(port),
    listen_addresses: '',
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  };
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Rotates a log that has grown large. Returns the offset at which new lines start. */
async function rotateLog(logFile: string): Promise<number> {
  try {
    const { size } = await stat(logFile);
    if (size < maxLogBytes) return size;
    await rename(logFile, `${logFile}.1`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  return 0;
}

async function readLastLines(logFile: string, fromByte: number): Promise<string> {
  const written = (await readFile(logFile)).subarray(fromByte).toString('utf8');
  return written.trimEnd().split('\n').slice(-shownLogLines).join('\n');
}
