import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sweeper = fileURLToPath(new URL('sweep-up.mjs', import.meta.url));

/**
 * Makes the folder that everything of a test run is in, and starts the process that sweeps up when the run is over,
 * however it ends: that process hears of it by the pipe between the two, which the system closes.
 * @returns {{ path: string, env: NodeJS.ProcessEnv, sweepUp: () => Promise<void> }}
 */
export function makeRunFolder() {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-tests-'));
  // PostgreSQL does not run as root; whoever it runs as must be able to pass through.
  chmodSync(path, 0o711);
  const home = join(path, 'home');
  mkdirSync(home);
  const child = spawn(process.execPath, [sweeper, path], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    path,
    // No test may read or write the home of whoever runs it.
    env: { LATCHKEY_TEST_RUN: basename(path), TMPDIR: path, HOME: home, XDG_CACHE_HOME: join(home, '.cache') },
    sweepUp: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
