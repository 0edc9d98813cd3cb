import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Problem } from '../problem.mjs';
import { step } from '../step.mjs';
import { thisMachine } from './machine.mjs';
import { installWithNpm } from './npm.mjs';
import { fileHash, readStamp, stampSays, writeStamp } from './stamp.mjs';

const oldestOwnMajor = 24;

/** @typedef {{ path: string, version: string }} Node the Node.js everything but this setup runs on */
/** @typedef {{ kind: 'pinned', package: string, version: string }} Pinned */
/** @typedef {Pinned | { kind: 'own', because?: string }} Choice */

/**
 * Decides between the pinned Node and the machine's own.
 * @param {import('./machine.mjs').Machine} machine
 * @param {Record<string, string>} pins package name to version
 * @returns {Choice}
 */
export function chooseNode({ platform, arch, libc, version }, pins) {
  const name = `node-${platform}-${arch}`;
  const pin = pins[name];
  if (pin && libc !== 'musl')
    return pin === version ? { kind: 'own' } : { kind: 'pinned', package: name, version: pin };
  const system = libc === 'musl' ? `${platform}-${arch} with musl` : `${platform}-${arch}`;
  if (Number(version.split('.')[0]) >= oldestOwnMajor)
    return { kind: 'own', because: `Running on this machine's Node.js ${version}: none is pinned for ${system}.` };
  throw new Problem(
    `Latchkey brings its own Node.js for Linux with glibc on x64 and arm64; this machine is ${system}. ` +
      `Install Node.js ${oldestOwnMajor} or later, for example from nodejs.org, and run the command again.`,
  );
}

/**
 * @param {string} root
 * @returns {Choice}
 */
export function chooseNodeHere(root) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'scripts/runtime/package.json'), 'utf8'));
  return chooseNode(thisMachine(), optionalDependencies);
}

/**
 * @param {string} root
 * @param {Choice} choice
 * @returns {Node | undefined} undefined when the pinned Node is not installed, or only half
 */
export function findNode(root, choice) {
  if (choice.kind === 'own') return { path: process.execPath, version: process.versions.node };
  if (!stampSays(readStamp(stampFile(root)), wantedStamp(root, choice.package))) return undefined;
  const path = pinnedPath(root, choice.package);
  return reportsVersion(path, choice.version) ? { path, version: choice.version } : undefined;
}

/**
 * @param {string} root
 * @param {Pinned} choice
 * @param {(pid: number) => void} onStart
 * @returns {Promise<Node>}
 */
export async function installNode(root, choice, onStart) {
  const folder = join(root, '.runtime');
  rmSync(stampFile(root), { force: true });
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  cpSync(join(root, 'scripts/runtime'), folder, { recursive: true });
  const install = () => installWithNpm({ folder, nodePath: process.execPath, chosen: ['--omit=dev'], onStart });
  await step(process.stderr, `Installing Node.js ${choice.version}`, install);
  const path = pinnedPath(root, choice.package);
  if (!reportsVersion(path, choice.version))
    throw new Problem(`${path} does not run here. Install Node.js ${choice.version} on this machine and run again.`);
  writeStamp(stampFile(root), wantedStamp(root, choice.package));
  return { path, version: choice.version };
}

/**
 * Returns the environment of all our programs: the chosen Node is first on the PATH and caches its compiled code.
 * @param {string} root
 * @param {Node} node
 */
export function nodeEnvironment(root, node) {
  return {
    NODE_COMPILE_CACHE: join(root, '.runtime', 'compile-cache'),
    ...process.env,
    PATH: `${dirname(node.path)}${delimiter}${process.env.PATH ?? ''}`,
  };
}

/**
 * @param {string} root
 * @param {string} name
 */
function wantedStamp(root, name) {
  return { lock: fileHash(join(root, 'scripts/runtime/package-lock.json')), package: name };
}

/** @param {string} root */
function stampFile(root) {
  return join(root, '.runtime', 'latchkey-setup.json');
}

/**
 * @param {string} root
 * @param {string} name
 */
function pinnedPath(root, name) {
  return join(root, '.runtime/node_modules', name, 'bin/node');
}

/**
 * @param {string} path
 * @param {string} version
 */
function reportsVersion(path, version) {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim() === `v${version}`;
  } catch {
    return false;
  }
}
