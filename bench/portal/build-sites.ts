import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchFolder, oursFolder, portalFolder, redocFolder, stockFolder } from './folders.ts';
import { type Spent, timeNode } from './time-command.ts';
import { writeRedocSite, writeStockSite } from './write-sites.ts';

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

const docusaurus = join(benchFolder, 'node_modules/@docusaurus/core/bin/docusaurus.mjs');

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
