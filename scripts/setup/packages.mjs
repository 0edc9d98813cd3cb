import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { step } from '../step.mjs';
import { installWithNpm } from './npm.mjs';
import { refuseWhileRunning } from './running.mjs';
import { fileHash, readStamp, stampSays, writeStamp } from './stamp.mjs';

/**
 * What a server, worker or signer in production needs; that plus the embedded database, the simulators and the portal, for trying Latchkey
 * out; everything, for development.
 * @typedef {'production' | 'sandbox' | 'all'} PackageSet
 */

/** @type {readonly PackageSet[]} each holds the ones before it */
const sets = ['production', 'sandbox', 'all'];

/** The npm flags of each. The middle one includes the development packages of the server and its dependencies. */
const npmFlags = /** @type {const} */ ({
  production: ['--omit=dev'],
  sandbox: ['--include=dev', '--workspace=packages/server'],
  all: ['--include=dev'],
});

/**
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 * @param {PackageSet} packageSet
 */
export function packagesAreReady(root, node, packageSet) {
  const stamp = readStamp(stampFile(root));
  const enough = sets.slice(sets.indexOf(packageSet));
  return enough.some((installed) => stampSays(stamp, { ...wantedStamp(root, node), packages: installed }));
}

/**
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 * @param {PackageSet} packageSet
 * @param {(pid: number) => void} onStart
 */
export async function installPackages(root, node, packageSet, onStart) {
  refuseWhileRunning(root);
  const before = readStamp(stampFile(root));
  rmSync(stampFile(root), { force: true });
  try {
    // Checked again: a program started meanwhile either found the clone ready, or finds now that it is not.
    refuseWhileRunning(root);
  } catch (error) {
    if (Object.keys(before).length > 0) writeFileSync(stampFile(root), JSON.stringify(before));
    throw error;
  }
  const install = () => installWithNpm({ folder: root, nodePath: node.path, chosen: npmFlags[packageSet], onStart });
  await step(process.stderr, 'Installing packages', install);
  if (packageSet === 'production')
    for (const path of optionalPeers(root)) rmSync(join(root, path), { recursive: true, force: true });
  writeStamp(stampFile(root), { ...wantedStamp(root, node), packages: packageSet });
}

/** @typedef {{ devOptional?: boolean, optionalDependencies?: Record<string, string> }} LockEntry */

/**
 * Returns what npm installs for production only because development has it: a production package could use it (TypeScript, say, for its
 * types), but none needs it.
 * @param {string} root
 * @returns {string[]} paths, those of their platform packages included
 */
export function optionalPeers(root) {
  /** @type {Record<string, LockEntry>} */
  const packages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages ?? {};
  return Object.entries(packages)
    .filter(([, { devOptional }]) => devOptional === true)
    .flatMap(([path, { optionalDependencies = {} }]) => [
      path,
      ...Object.keys(optionalDependencies).map((name) => `node_modules/${name}`),
    ]);
}

/**
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 */
function wantedStamp(root, node) {
  const { platform, arch } = process;
  return { lock: fileHash(join(root, 'package-lock.json')), node: node.version, machine: `${platform}-${arch}` };
}

/** @param {string} root */
function stampFile(root) {
  return join(root, 'node_modules/.latchkey-setup.json');
}
