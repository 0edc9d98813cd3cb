import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sweeper = fileURLToPath(new URL('sweep-up.ts', import.meta.url));

/**
 * Creates the folder for everything of a test run, and starts the process that cleans up when the run is over, however it ends: that
 * process notices it by the pipe between the two, which the system closes.
 */
export function makeRunFolder(): { path: string; env: NodeJS.ProcessEnv; sweepUp(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-tests-'));
  // PostgreSQL does not run as root; its user must be able to traverse the folder.
  chmodSync(path, 0o711);
  const home = join(path, 'home');
  mkdirSync(home);
  const child = spawn(process.execPath, [sweeper, path], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    path,
    // No test may read or write the home of the user who runs it.
    env: { LATCHKEY_TEST_RUN: basename(path), TMPDIR: path, HOME: home, XDG_CACHE_HOME: join(home, '.cache') },
    sweepUp: async () => {
      child.stdin.end();
      await ended;
    },
  };
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
