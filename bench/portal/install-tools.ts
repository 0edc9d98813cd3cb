import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from './folders.ts';

/** Installs, once, what the portal is measured against. The project itself needs none of it. */
export function installTools(): void {
  if (existsSync(join(benchFolder, 'node_modules/.package-lock.json'))) return;
  console.log('Installing Lighthouse and the stock sites, which takes some minutes the first time.');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: benchFolder, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm ci failed in bench/portal. Without it there is nothing to measure against.');
}
