/**
 * Builds the portal into `dist/site`: `node apps/portal/build.ts [--unless-fresh]`. The address it will be hosted under
 * comes from the environment: see README.md. What is there already is replaced when the new site is whole.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { nextSiteFolder, portalFolder, siteFolder, siteStampFile } from './config/folders.ts';
import { readSite } from './config/site.ts';
import { pluginsHash, sourcesHash } from './config/sources.ts';

const here = portalFolder;
const site = readSite();

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(process.execPath, [program, ...args], {
    cwd: here,
    stdio: 'inherit',
    // A build does not check for a newer Docusaurus.
    env: { ...process.env, NODE_ENV: 'production', NO_UPDATE_NOTIFIER: '1' },
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** The bundler keeps the pages that plugins made, and does not see when a plugin or a fact has changed since. */
function dropOldPages(): void {
  const cache = join(here, 'node_modules/.cache');
  const keyFile = join(cache, 'plugins.txt');
  const key = pluginsHash();
  if (existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return;
  rmSync(join(cache, 'rspack'), { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  writeFileSync(keyFile, key);
}

function build(): void {
  run(join(here, 'generate.ts'));
  dropOldPages();
  // Docusaurus writes modules there that mix `import` and `require`, which the module type of this package would forbid.
  for (const folder of ['.docusaurus', 'dist']) {
    mkdirSync(join(here, folder), { recursive: true });
    writeFileSync(join(here, folder, 'package.json'), '{}\n');
  }
  const docusaurus = createRequire(import.meta.url).resolve('@docusaurus/core/bin/docusaurus.mjs');
  run(docusaurus, 'build', '--out-dir', nextSiteFolder);
  run(join(here, 'finish.ts'), nextSiteFolder);
  rmSync(siteFolder, { recursive: true, force: true });
  renameSync(nextSiteFolder, siteFolder);
}

const stamp = JSON.stringify({ ...site, sources: sourcesHash() });
const isFresh = existsSync(siteFolder) && existsSync(siteStampFile) && readFileSync(siteStampFile, 'utf8') === stamp;
if (!process.argv.includes('--unless-fresh') || !isFresh) {
  const startedAt = performance.now();
  rmSync(siteStampFile, { force: true });
  build();
  writeFileSync(siteStampFile, stamp);
  process.stdout.write(`The portal was built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`);
}
