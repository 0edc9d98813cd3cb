import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder } from './folders.ts';

/** Installs, once, what the project itself does not need: Lighthouse and the Redoc preset. */
export function installTools(): void {
  if (existsSync(join(benchFolder, 'node_modules/redocusaurus'))) return;
  console.log('Installing Lighthouse and the Redoc preset, which takes some minutes the first time.');
  // Docusaurus and React are peers, and resolve to the packages that the portal itself is built with.
  const options = ['--no-package-lock', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...options], { cwd: benchFolder, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm install failed in bench/portal.');
}
