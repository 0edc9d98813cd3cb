import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

const homes = ['apps', 'bench', 'packages', 'scripts'];
/** Build output, third-party code, and AssemblyScript, which is another language. */
const notOurs = /^(\..*|node_modules|dist|versioned_docs|vectors|assembly)$/;

export interface SourceFile {
  /** Relative to the root of the project, with forward slashes. */
  path: string;
  text: string;
  lines: number;
  imports: string[];
}

/** Every source file of the project: packages, apps, benchmarks and scripts. */
export function readSources(): SourceFile[] {
  return homes.flatMap((home) => walk(home)).map(readSource);
}

export function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, lines: text.split('\n').length, imports: importsOf(text) };
}

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (notOurs.test(entry.name)) return [];
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name) ? [path] : [];
  });
}

export function importsOf(text: string): string[] {
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*?)?from\s+'([^']+)'|\bimport\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Whether only tests use a file: these may import more than the product. */
export function isTestFile(path: string): boolean {
  return /\.(test|suite)\.ts$|\/test(ing)?(-[\w-]+)?(\.ts$|\/)|^packages\/test-kit\//.test(path);
}

/** Returns the unit with its own package.json: `packages/core`, `apps/portal`. Benchmarks and scripts belong to the root. */
export function unitOf(path: string): string {
  const [home = '', name = ''] = path.split('/');
  return home === 'packages' || home === 'apps' ? `${home}/${name}` : home;
}
