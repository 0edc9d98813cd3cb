import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { AppError } from '@latchkey/kernel';
import type { BuiltPage } from './document.ts';

/** Where the files of the pages are served; Vite is told the same. */
export const assetsPath = '/console/assets/';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  type: string;
  /** By content coding, the smallest first; identity is always there. */
  bodies: ReadonlyMap<string, Buffer>;
}

/** What Vite made of the pages. Throws UNAVAILABLE as long as it has not. */
export interface Build {
  page(): BuiltPage;
  /** A file of the pages. They are a handful, kept in memory; nothing outside the build can be asked for. */
  findAsset(name: string): Promise<Asset | undefined>;
}

/** Reads a build once: its files have their hash in the name. */
export function openBuild(folder: string): Build {
  let page: BuiltPage | undefined;
  let assets: Promise<ReadonlyMap<string, Asset>> | undefined;
  return {
    page: () => {
      page ??= readManifest(folder);
      return page;
    },
    findAsset: async (name) => {
      assets ??= readAssets(join(folder, 'assets'));
      try {
        return (await assets).get(name);
      } catch (error) {
        assets = undefined;
        throw notBuilt(error);
      }
    },
  };
}

export const consoleBuild = openBuild(
  join(fileURLToPath(import.meta.resolve('@latchkey/console/package.json')), '../dist'),
);

interface ManifestEntry {
  file: string;
  css?: string[];
  assets?: string[];
}

function readManifest(folder: string): BuiltPage {
  const entry = parseManifest(folder)['src/main.tsx'];
  const icon = entry?.assets?.find((file) => file.endsWith('.svg'));
  if (entry === undefined || icon === undefined) throw notBuilt();
  const address = (file: string) => file.replace(/^assets\//, assetsPath);
  return { script: address(entry.file), styles: (entry.css ?? []).map(address), icon: address(icon) };
}

// The manifest is written by our own build.
function parseManifest(folder: string): Readonly<Record<string, ManifestEntry>> {
  try {
    return JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  } catch (error) {
    throw notBuilt(error);
  }
}

async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const files = (await readdir(folder)).filter((file) => types[extname(file)] !== undefined);
  return new Map(await Promise.all(files.map(async (file) => [file, await readAsset(join(folder, file))] as const)));
}

async function readAsset(path: string): Promise<Asset> {
  const plain = await readFile(path);
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain), promisify(gzip)(plain)]);
  const bodies = new Map([
    ['br', br],
    ['gzip', gzipped],
    ['identity', plain],
  ]);
  return { type: types[extname(path)] ?? '', bodies };
}

function notBuilt(cause?: unknown): AppError {
  return new AppError(
    'NOT_CONFIGURED',
    'The pages of this server have not been built. The operator can build them with: npm start',
    { retryAfterSeconds: 30, cause },
  );
}
