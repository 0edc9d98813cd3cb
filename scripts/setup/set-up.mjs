import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { explainFileError, Problem } from '../problem.mjs';
import { withLock } from './lock.mjs';
import { chooseNodeHere, findNode, installNode } from './node.mjs';
import { installPackages, packagesAreReady } from './packages.mjs';
import { buildPages, pagesAreReady } from './pages.mjs';
import { refuseWhileRunning } from './running.mjs';

/** @typedef {import('./node.mjs').Node} Node */
/** @typedef {import('./packages.mjs').PackageSet} PackageSet */

/**
 * Installs what is missing in a clone: the pinned Node, then the packages with that Node, then the pages built from them. Packages are not
 * replaced while anything else runs from the clone. The mark exists while this checks whether everything is ready, and an installation
 * checks the marks after it has made the clone unready: one of the two sees the other.
 * @param {string} root
 * @param {PackageSet} packageSet
 * @param {import('./running.mjs').Mark} mark
 * @returns {Promise<Node>}
 */
export async function setUp(root, packageSet, mark) {
  const choice = chooseNodeHere(root);
  if (choice.kind === 'own' && choice.because) console.error(choice.because);
  const ready = findNode(root, choice);
  if (ready && packagesAreReady(root, ready, packageSet) && pagesAreReady(root)) return ready;
  mark.pause();
  try {
    return await withLock(
      join(root, '.runtime/setup.lock'),
      async (alsoHeldBy) => {
        const node = await installMissing(root, choice, packageSet, alsoHeldBy);
        mark.resume();
        return node;
      },
      (holder) => console.error(`Another setup of this clone is running (process ${holder}); waiting for it …`),
    );
  } catch (error) {
    throw explainFileError(error);
  }
}

/**
 * Checks again before each install: the previous holder of the lock may have done it.
 * @param {string} root
 * @param {import('./node.mjs').Choice} choice
 * @param {PackageSet} packageSet
 * @param {(pid: number) => void} onStart
 * @returns {Promise<Node>}
 */
async function installMissing(root, choice, packageSet, onStart) {
  let node = findNode(root, choice);
  if (!node && choice.kind === 'pinned') {
    refuseWhileRunning(root);
    node = await installNode(root, choice, onStart);
  }
  if (!node) throw new Error('No Node.js was chosen');
  if (packageSet !== 'all') checkSettings(root, node);
  if (!packagesAreReady(root, node, packageSet)) await installPackages(root, node, packageSet, onStart);
  if (!pagesAreReady(root)) await buildPages(root, node, onStart);
  return node;
}

const program = 'packages/server/src/check-settings.ts';
/** The exit code for wrong settings. Anything else is reported by the program that is about to start. */
const wrongSettings = 78;

/**
 * Reads the settings with nothing but Node, so that a mistake is reported before minutes of installing.
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 */
function checkSettings(root, node) {
  if (!existsSync(join(root, program))) return;
  const { status, stderr } = spawnSync(node.path, [program], { cwd: root, encoding: 'utf8' });
  if (status === wrongSettings) throw new Problem(stderr.trim());
}
