import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const homes = ['apps', 'packages', 'scripts', 'bench'];

/**
 * Lists the test files of a clone as paths relative to it, sorted.
 * @param {string} root
 * @param {{ slow: boolean, filters: string[] }} wanted slow: with `*.slow.test.ts`; filters: parts of a path
 * @returns {string[]}
 */
export function findTestFiles(root, { slow, filters }) {
  const parts = filters.map((filter) => tidy(root, filter));
  return homes
    .flatMap((home) => walk(join(root, home)))
    .map((path) => tidy(root, path))
    .filter((path) => path.endsWith('.test.ts') && (slow || !path.endsWith('.slow.test.ts')))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .sort();
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function walk(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/**
 * @param {string} root
 * @param {string} path
 */
function tidy(root, path) {
  const inside = path.startsWith(root) ? relative(root, path) : path;
  return inside.split(sep).join('/').replace(/^\.\//, '');
}
