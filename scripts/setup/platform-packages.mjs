import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {string | string[] | undefined} Rule as in a lock file: "linux", ["linux", "darwin"], ["!win32"] */
/** @typedef {{ optionalDependencies?: Record<string, string>, os?: Rule, cpu?: Rule, libc?: Rule }} LockEntry */

/**
 * Lists the packages made for this machine that an installed package asks for and that are not in node_modules. They are
 * optional, so npm calls it a success when it could not download one, and the program would fail much later.
 * @param {string} folder
 * @param {import('./machine.mjs').Machine} machine
 * @returns {string[]}
 */
export function missingPlatformPackages(folder, machine) {
  /** @type {{ packages: Record<string, LockEntry> }} */
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const isInstalled = (/** @type {string} */ path) => existsSync(join(folder, path, 'package.json'));
  const asked = Object.entries(packages)
    .filter(([path]) => isInstalled(path))
    .flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).map((name) => resolve(packages, path, name)),
    )
    .filter((path) => path !== undefined);
  return [...new Set(asked)].filter((path) => isMadeFor(machine, packages[path] ?? {}) && !isInstalled(path));
}

/**
 * Where the lock file puts a package for whoever asks for it: in its own node_modules, or in the nearest above.
 * @param {Record<string, LockEntry>} packages
 * @param {string} from
 * @param {string} name
 */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}

/**
 * @param {import('./machine.mjs').Machine} machine
 * @param {LockEntry} entry
 */
function isMadeFor(machine, { os, cpu, libc }) {
  if (!os && !cpu) return false;
  return allows(os, machine.platform) && allows(cpu, machine.arch) && allows(libc, machine.libc);
}

/**
 * @param {Rule} rule
 * @param {string} value
 */
function allows(rule, value) {
  const words = rule === undefined ? [] : [rule].flat();
  if (words.includes(`!${value}`)) return false;
  const named = words.filter((word) => !word.startsWith('!'));
  return named.length === 0 || named.includes(value);
}
