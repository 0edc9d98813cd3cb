import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { oursFolder, portalFolder, redocFolder, stockFolder } from './folders.ts';
import { writeRedocSite, writeStockSite } from './write-sites.ts';

interface Spent {
  wallSeconds: number;
  /** Of the command and all it started: what a busy machine changes least. */
  cpuSeconds: number;
}

interface Build {
  cold: Spent;
  warm: Spent;
}

export interface Sites {
  /** Folders of built sites. */
  ours: string;
  stock: string;
  redoc: string;
  builds: Record<string, Build>;
}

const docusaurus = createRequire(import.meta.url).resolve('@docusaurus/core/bin/docusaurus.mjs');

/** Builds the three sites, the two that are compared in build time twice: with nothing kept, then with what was kept. */
export function buildSites(): Sites {
  const ours = twice(portalFolder, () => timeNode(portalFolder, 'build.ts'));
  const pages = writeStockSite(oursFolder, stockFolder);
  const stock = twice(stockFolder, () => timeNode(stockFolder, docusaurus, 'build'));
  writeRedocSite(redocFolder);
  mkdirSync(join(redocFolder, 'static'), { recursive: true });
  copyFileSync(join(portalFolder, '.generated/openapi.json'), join(redocFolder, 'openapi.json'));
  timeNode(redocFolder, docusaurus, 'build');
  return {
    ours: oursFolder,
    stock: join(stockFolder, 'build'),
    redoc: join(redocFolder, 'build'),
    builds: { ours, [`stock, ${pages} pages`]: stock },
  };
}

function twice(folder: string, build: () => Spent): Build {
  for (const kept of ['.docusaurus', 'node_modules/.cache'])
    rmSync(join(folder, kept), { recursive: true, force: true });
  return { cold: build(), warm: build() };
}

/** Runs a program of Node and says what it cost. Its output is shown only when it fails. */
function timeNode(cwd: string, ...args: string[]): Spent {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="spent %R %U %S"; time "$@"', '-', process.execPath, ...args],
    {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production', LC_ALL: 'C' },
      maxBuffer: 2 ** 28,
    },
  );
  const [wall, user, system] = (/spent ([\d.]+) ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? []).slice(1).map(Number);
  if (status !== 0 || wall === undefined || user === undefined || system === undefined)
    throw new Error(`${args.join(' ')} failed.\n${stdout}\n${stderr}`);
  return { wallSeconds: wall, cpuSeconds: user + system };
}
