import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
  '.woff2': 'font/woff2',
};

export interface Asset {
  type: string;
  /** By content coding, the smallest first; identity is always there. */
  bodies: ReadonlyMap<string, Buffer>;
}

/** The two pages that are built: one for the ways in and out, which stays small, and the console. */
export type Entry = 'main' | 'console';

/** What Vite made of the pages. Throws UNAVAILABLE as long as it has not. */
export interface Build {
  page(entry: Entry): BuiltPage;
  /** A file of the pages, kept in memory once it was asked for; nothing outside the build can be asked for. */
  findAsset(name: string): Promise<Asset | undefined>;
}

/** Reads a build once: its files have their hash in the name. */
export function openBuild(folder: string): Build {
  let manifest: Manifest | undefined;
  const assets = new Map<string, Promise<Asset>>();
  const read = () => {
    manifest ??= parseManifest(folder);
    return manifest;
  };
  return {
    page: (entry) => describePage(read(), `src/${entry}.tsx`),
    findAsset: async (name) => {
      if (!filesOf(read()).has(`assets/${name}`)) return undefined;
      const known = assets.get(name) ?? readAsset(join(folder, 'assets', name));
      assets.set(name, known);
      try {
        return await known;
      } catch (error) {
        assets.delete(name);
        manifest = undefined;
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
  imports?: string[];
}
type Manifest = Readonly<Record<string, ManifestEntry>>;

/** Everything that a page needs before it shows anything: its script, what that imports, and their styles. */
function describePage(manifest: Manifest, name: string): BuiltPage {
  const icon = manifest['src/mark.svg'];
  const entry = manifest[name];
  if (entry === undefined || icon === undefined) throw notBuilt();
  const needed = withImports(manifest, name).flatMap((key) => manifest[key] ?? []);
  return {
    script: address(entry.file),
    preloads: needed.filter((item) => item !== entry).map(({ file }) => address(file)),
    styles: [...new Set(needed.flatMap(({ css = [] }) => css))].map(address),
    fonts: [...new Set(needed.flatMap(({ assets = [] }) => assets))].filter(isTextFont).map(address),
    icon: address(icon.file),
  };
}

/** The font of code is not: most screens show none, and what stands in for it is as wide. */
function isTextFont(file: string): boolean {
  return /\/inter-[^/]*\.woff2$/.test(file);
}

function withImports(manifest: Manifest, name: string, seen: Set<string> = new Set()): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return [name, ...(manifest[name]?.imports ?? []).flatMap((next) => withImports(manifest, next, seen))];
}

const address = (file: string) => file.replace(/^assets\//, assetsPath);

const files = new WeakMap<Manifest, ReadonlySet<string>>();

function filesOf(manifest: Manifest): ReadonlySet<string> {
  const known = files.get(manifest);
  if (known !== undefined) return known;
  const all = Object.values(manifest).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]);
  const served = new Set(all.filter((file) => types[extname(file)] !== undefined));
  files.set(manifest, served);
  return served;
}

// The manifest is written by our own build.
function parseManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  } catch (error) {
    throw notBuilt(error);
  }
}

async function readAsset(path: string): Promise<Asset> {
  const plain = await readFile(path);
  const type = types[extname(path)] ?? '';
  // Fonts are compressed already.
  if (type.startsWith('font/')) return { type, bodies: new Map([['identity', plain]]) };
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain), promisify(gzip)(plain)]);
  const bodies = new Map([
    ['br', br],
    ['gzip', gzipped],
    ['identity', plain],
  ]);
  return { type, bodies };
}

function notBuilt(cause?: unknown): AppError {
  return new AppError(
    'NOT_CONFIGURED',
    'The pages of this server have not been built. The operator can build them with: npm start',
    { retryAfterSeconds: 30, cause },
  );
}
