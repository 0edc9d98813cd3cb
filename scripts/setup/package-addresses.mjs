import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** With fewer packages, npm's own lookups take no longer than computing their URLs. */
const worthItFrom = 100;

/** @typedef {{ name?: string, version?: string, integrity?: string, resolved?: string }} Entry */
/** @typedef {{ packages?: Record<string, Entry> }} Lock */

/**
 * The lock file does not contain download URLs, so npm would ask the registry about each package: a third of its work. A second lock file,
 * which npm prefers, has them for the registry in use. Downloads are verified against the same hashes.
 * @param {string} folder
 * @param {[string, ...string[]]} npm
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<(() => void) | undefined>} removes the file again; undefined if there is none
 */
export async function writeAddresses(folder, [command, ...first], env) {
  const file = join(folder, 'npm-shrinkwrap.json');
  const forget = () => rmSync(file, { force: true });
  // Left by a setup that was killed.
  forget();
  /** @type {Lock} */
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  if (Object.keys(lock.packages ?? {}).length < worthItFrom) return undefined;
  try {
    const { stdout } = await run(command, [...first, 'config', 'list', '--json'], { cwd: folder, env });
    const located = locatePackages(lock, JSON.parse(stdout));
    if (located === undefined) return undefined;
    writeFileSync(file, JSON.stringify(located));
    return forget;
  } catch {
    forget();
    return undefined;
  }
}

/**
 * Returns the lock with the URL of each package, in the usual layout of registries.
 * @param {Lock} lock
 * @param {Record<string, unknown>} config of npm
 * @returns {Lock | undefined} undefined if the registry is not known
 */
export function locatePackages(lock, config) {
  if (typeof config.registry !== 'string' || !/^https?:/.test(config.registry)) return undefined;
  const packages = Object.entries(lock.packages ?? {}).map(([path, entry]) => {
    if (entry.integrity === undefined || entry.resolved !== undefined) return [path, entry];
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const [scope, base = scope] = name.split('/');
    const registry = String(config[`${scope}:registry`] ?? config.registry).replace(/\/+$/, '');
    return [path, { ...entry, resolved: `${registry}/${name}/-/${base}-${entry.version}.tgz` }];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}
