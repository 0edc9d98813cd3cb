import { execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A disk in memory, which Linux has. */
const memoryDisk = '/dev/shm';
/** Far more than was seen in use: 160 MB, and the settings of the server allow 512 MB of log. */
const enoughSpace = 2 * 2 ** 30;
/** A machine that has little more memory than the tests need must not swap because of the databases. */
const enoughMemory = 4 * 2 ** 30;

const sweeper = fileURLToPath(new URL('sweep-up.ts', import.meta.url));

export interface RunFolder {
  path: string;
  /** Where the databases of the run are. */
  databases: string;
  env: NodeJS.ProcessEnv;
  sweepUp(): Promise<void>;
}

/**
 * Creates the folder for everything of a test run, and starts the process that cleans up when the run is over, however it ends: that
 * process notices it by the pipe between the two, which the system closes.
 */
export function makeRunFolder(): RunFolder {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-tests-'));
  const home = join(path, 'home');
  mkdirSync(home);
  const databases = hasMuchMemory() ? join(memoryDisk, basename(path)) : join(path, 'databases');
  mkdirSync(databases);
  // PostgreSQL does not run as root; the user it runs as must be able to pass through.
  for (const folder of [path, databases]) chmodSync(folder, 0o711);
  const child = spawn(process.execPath, [sweeper, path, databases], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    path,
    databases,
    // No test may read or write the home of the user who runs it.
    env: { LATCHKEY_TEST_RUN: basename(path), TMPDIR: path, HOME: home, XDG_CACHE_HOME: join(home, '.cache') },
    sweepUp: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** A database is more than a thousand files. In memory, copying one takes a tenth of the processor time. */
function hasMuchMemory(): boolean {
  if (process.availableMemory() < enoughMemory) return false;
  try {
    accessSync(memoryDisk, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryDisk);
    return bavail * bsize >= enoughSpace;
  } catch {
    return false;
  }
}

/**
 * Returns the processes of a test run: those whose environment or command line contains its name. Other processes and other runs are left
 * alone.
 */
export function processesOf(run: string): { pid: number; command: string }[] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
    return lines
      .filter((line) => line.includes(run))
      .map((line) => ({ pid: Number.parseInt(line, 10), command: line }));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const command = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ');
      // A zombie process has neither.
      if (command === '' || !(command.includes(run) || read(`/proc/${name}/environ`).includes(run))) return [];
      return [{ pid: Number(name), command }];
    });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}
