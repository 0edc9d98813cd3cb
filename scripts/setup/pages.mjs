import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Problem } from '../problem.mjs';
import { passSignals } from '../signals.mjs';
import { step } from '../step.mjs';
import { nodeEnvironment } from './node.mjs';
import { findRunning } from './running.mjs';
import { fileHash, readStamp, stampSays, textHash, writeStamp } from './stamp.mjs';

const app = 'apps/console';
const manifest = '.vite/manifest.json';
/** What the pages are built from: themselves, and our code that they contain. */
const sources = [
  `${app}/package.json`,
  `${app}/vite.config.ts`,
  `${app}/src`,
  'packages/client/src',
  'packages/kernel/src/chat-platforms.ts',
];

/**
 * Whether the pages are built from the current sources.
 * @param {string} root
 */
export function pagesAreReady(root) {
  return !existsSync(join(root, app)) || stampSays(readStamp(stampFile(root)), wantedStamp(root));
}

/**
 * Builds the pages that the server serves to browsers. They are built separately and moved into place when complete.
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 * @param {(pid: number) => void} onStart
 */
export async function buildPages(root, node, onStart) {
  const stamp = wantedStamp(root);
  rmSync(stampFile(root), { force: true });
  const built = join(root, '.runtime/pages');
  await step(process.stderr, 'Building the pages', () => runVite(root, node, built, onStart));
  putInPlace(built, join(root, app, 'dist'), findRunning(root).length > 0);
  writeStamp(stampFile(root), stamp);
}

/**
 * A running server has read the list of its pages and reads their files on first request. File names contain content hashes, so the new
 * files go beside the old ones, which stay until pages are built while no server is running.
 * @param {string} built
 * @param {string} place
 * @param {boolean} isServed
 */
function putInPlace(built, place, isServed) {
  if (!isServed || !existsSync(join(place, manifest))) rmSync(place, { recursive: true, force: true });
  if (existsSync(place)) {
    cpSync(join(built, 'assets'), join(place, 'assets'), { recursive: true, force: false });
    cpSync(join(built, manifest), join(place, `${manifest}.new`));
    renameSync(join(place, `${manifest}.new`), join(place, manifest));
  } else {
    mkdirSync(dirname(place), { recursive: true });
    renameSync(built, place);
  }
  rmSync(built, { recursive: true, force: true });
}

/**
 * @param {string} root
 * @param {import('./node.mjs').Node} node
 * @param {string} built
 * @param {(pid: number) => void} onStart
 */
async function runVite(root, node, built, onStart) {
  const signals = passSignals();
  const flags = ['--configLoader=native', '--logLevel=warn', `--outDir=${built}`, '--emptyOutDir'];
  const child = spawn(node.path, [viteProgram(root), 'build', ...flags], {
    cwd: join(root, app),
    env: { ...nodeEnvironment(root, node), NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  signals.to(child);
  if (child.pid) onStart(child.pid);
  try {
    const { output, code } = await endOf(child);
    if (signals.received()) throw new Problem('Stopped. Run the command again to finish the setup.');
    if (code !== 0)
      throw new Problem(`The pages in ${app} could not be built.\n${output.trim().replace(/^/gm, '  | ')}`);
  } finally {
    signals.stop();
  }
}

/** @param {string} root */
function viteProgram(root) {
  const { resolve } = createRequire(join(root, app, 'package.json'));
  return join(dirname(resolve('vite/package.json')), 'bin/vite.js');
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<{ output: string, code: number | null }>}
 */
function endOf(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Problem(`Vite could not be started: ${error.message}`)));
    child.once('close', (code) => resolve({ output, code }));
  });
}

/** @param {string} root */
function wantedStamp(root) {
  const lines = sources
    .flatMap((source) => listFiles(root, source))
    .map((file) => `${file} ${fileHash(join(root, file))}`);
  return { lock: fileHash(join(root, 'package-lock.json')), sources: textHash(lines.join('\n')) };
}

/**
 * @param {string} root
 * @param {string} source a file or a folder
 * @returns {string[]}
 */
function listFiles(root, source) {
  if (/\.\w+$/.test(source)) return [source];
  return readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.\w+$/.test(path) && !path.includes('.test.'))
    .map((path) => join(source, path))
    .sort();
}

/** @param {string} root */
function stampFile(root) {
  return join(root, app, 'dist/.latchkey-setup.json');
}
