import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { portalFolder } from './folders.ts';

const root = join(portalFolder, '../..');
/** What the site is built from: itself, and the code whose facts it shows. */
const sources = ['package-lock.json', 'apps/portal', 'packages'];
/** Excluded: generated files, and what only tests use. */
const passed = /^(node_modules|dist|\.docusaurus|\.generated|test|testing|test-kit)$|\.test\.ts$/;

/** What changes pages during the build. */
const plugins = ['remark', 'samples', '.generated/facts.json', '.generated/openapi.json'];

/** Returns a hash that changes when anything changes that the site is built from. */
export function sourcesHash(): string {
  return hashOf(sources);
}

/** Returns a hash that changes when the same page may be rendered differently. */
export function pluginsHash(): string {
  return hashOf(plugins.map((name) => `apps/portal/${name}`));
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => listFiles(path))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function listFiles(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path))
    .filter((name) => !passed.test(name))
    .sort()
    .flatMap((name) => listFiles(`${path}/${name}`));
}
