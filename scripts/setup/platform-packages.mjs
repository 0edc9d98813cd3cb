import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {string | string[] | undefined} Rule as in a lock file: "linux", ["linux", "darwin"], ["!win32"] */
/** @typedef {{ dev?: boolean, os?: Rule, cpu?: Rule, libc?: Rule }} LockEntry */

/**
 * Lists the packages made for this machine that are in the lock file and not in node_modules. They are optional, so
 * npm calls it a success when it could not download one, and the program would fail much later.
 * @param {string} folder
 * @param {import('./machine.mjs').Machine} machine
 * @param {boolean} withDev
 * @returns {string[]}
 */
export function missingPlatformPackages(folder, machine, withDev) {
  /** @type {{ packages: Record<string, LockEntry> }} */
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([, entry]) => (withDev || !entry.dev) && isMadeFor(machine, entry))
    .map(([path]) => path)
    .filter((path) => !existsSync(join(folder, path, 'package.json')));
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
