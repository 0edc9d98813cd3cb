import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { step } from '../step.mjs';
import { installWithNpm } from './npm.mjs';
import { fileHash, readStamp, stampSays, writeStamp } from './stamp.mjs';

/** @typedef {'runtime' | 'all'} PackageSet what the product needs, or that and what its tests need */

/**
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 * @param {PackageSet} packageSet
 */
export function packagesAreReady(root, node, packageSet) {
  const stamp = readStamp(stampFile(root));
  return [packageSet, 'all'].some((installed) => stampSays(stamp, { ...wantedStamp(root, node), packages: installed }));
}

/**
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 * @param {PackageSet} packageSet
 * @param {(pid: number) => void} onStart
 */
export async function installPackages(root, node, packageSet, onStart) {
  rmSync(stampFile(root), { force: true });
  const install = () => installWithNpm({ folder: root, nodePath: node.path, withDev: packageSet === 'all', onStart });
  await step(process.stderr, 'Installing packages', install);
  writeStamp(stampFile(root), { ...wantedStamp(root, node), packages: packageSet });
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
