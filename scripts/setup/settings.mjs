import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../problem.mjs';

const program = 'packages/server/src/check-settings.ts';
/** What it ends with when the settings are wrong. Anything else is told by the program that is about to start. */
const wrongSettings = 78;

/**
 * Reads the settings with nothing but Node, so that a mistake in them is told before minutes of installing.
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 */
export function checkSettings(root, node) {
  if (!existsSync(join(root, program))) return;
  const { status, stderr } = spawnSync(node.path, [program], { cwd: root, encoding: 'utf8' });
  if (status === wrongSettings) throw new Problem(stderr.trim());
}
