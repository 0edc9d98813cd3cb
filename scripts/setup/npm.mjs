import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Problem } from '../problem.mjs';
import { passSignals } from '../signals.mjs';
import { explainNpmFailure } from './explain-npm.mjs';
import { thisMachine } from './machine.mjs';
import { writeAddresses } from './package-addresses.mjs';
import { missingPlatformPackages } from './platform-packages.mjs';

const keptLines = 40;
// Explicit flags win over what an outer `npm --silent` or NODE_ENV=production passes on through the environment.
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=http', '--color=false'];
const retryFlags = ['--fetch-retries=4', '--fetch-retry-mintimeout=1000', '--fetch-retry-factor=2'];

/** @typedef {{ folder: string, nodePath: string, chosen: readonly string[], onStart: (pid: number) => void }} Install */

/**
 * Runs `npm ci` in a folder with a given Node. What npm prints is shown only if it fails.
 * @param {Install} install
 */
export async function installWithNpm(install) {
  const { folder, nodePath } = install;
  const npm = npmCommand(nodePath);
  const env = { ...process.env, PATH: `${dirname(nodePath)}${delimiter}${process.env.PATH ?? ''}` };
  const forget = await writeAddresses(folder, npm, env);
  let end = await runCi(npm, env, install).finally(() => forget?.());
  // Some registries keep packages at other addresses, which npm finds by itself.
  if (forget !== undefined && isElsewhere(end)) end = await runCi(npm, env, install);
  const { output, code, signal, missing } = end;
  if (code !== 0 || missing.length > 0) throw new Problem(explainNpmFailure({ output, folder, signal, missing }));
}

/** @typedef {{ output: string, code: number | null, signal: string | null, missing: string[] }} CiEnd */

/**
 * @param {[string, ...string[]]} npm
 * @param {NodeJS.ProcessEnv} env
 * @param {Install} install
 * @returns {Promise<CiEnd>}
 */
async function runCi([command, ...first], env, { folder, chosen, onStart }) {
  const wanted = ['--include=optional', ...chosen];
  const signals = passSignals();
  const child = spawn(command, [...first, 'ci', ...flags, ...retryFlags, ...wanted, ...cacheFlags(folder)], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  signals.to(child);
  if (child.pid) onStart(child.pid);
  try {
    const end = await endOf(child);
    if (signals.received()) throw new Problem('Stopped. Run the command again to finish the setup.');
    return { ...end, missing: end.code === 0 ? missingPlatformPackages(folder, thisMachine()) : [] };
  } finally {
    signals.stop();
  }
}

/** @param {CiEnd} end */
function isElsewhere({ output, code, missing }) {
  return missing.length > 0 || (code !== 0 && /E40\d|EINTEGRITY/.test(output));
}

/**
 * npm keeps downloads in the home folder. Where that cannot be written, they go into the clone.
 * @param {string} folder
 */
function cacheFlags(folder) {
  let cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  while (!existsSync(cache) && cache !== dirname(cache)) cache = dirname(cache);
  try {
    accessSync(`${cache}/.`, constants.W_OK);
    return [];
  } catch {
    return [`--cache=${join(folder, folder.endsWith('.runtime') ? '' : '.runtime', 'npm-cache')}`];
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<{ output: string, code: number | null, signal: string | null }>}
 */
function endOf(child) {
  let output = '';
  const collect = (/** @type {Buffer} */ chunk) => {
    output = lastLines(output + chunk.toString());
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Problem(`npm could not be started: ${error.message}`)));
    child.once('close', (code, signal) => resolve({ output, code, signal }));
  });
}

/**
 * Keeps the end of npm's output without what helps nobody: downloads that worked, stacks, and packages that ask for a
 * newer Node than the one npm itself happens to run on.
 * @param {string} text
 */
function lastLines(text) {
  const noise = /EBADENGINE|^npm error +at |http (fetch|cache) .* [23]\d\d |^npm warn Unknown /;
  const lines = text.split('\n');
  const unfinished = lines.pop();
  return [...lines.filter((line) => !noise.test(line)).slice(-keptLines), unfinished].join('\n');
}

/**
 * npm is a script: it is run by the given Node, not by the one its first line would find.
 * @param {string} nodePath
 * @returns {[string, ...string[]]}
 */
export function npmCommand(nodePath) {
  const script = npmScripts().find((path) => path.endsWith('npm-cli.js') && existsSync(path));
  if (script) return [nodePath, script];
  if (npmOnPath()) return ['npm'];
  throw new Problem(
    'npm was not found. Install Node.js together with npm, for example from nodejs.org, and run again.',
  );
}

function npmScripts() {
  const nodeFolder = dirname(process.execPath);
  const onPath = npmOnPath();
  return [
    process.env.npm_execpath ?? '',
    onPath ? realpathSync(onPath) : '',
    join(nodeFolder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(nodeFolder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
}

function npmOnPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'npm')).find((path) => existsSync(path));
}
