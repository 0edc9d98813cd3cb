import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Problem } from '../problem.mjs';
import { passSignals } from '../signals.mjs';
import { thisMachine } from './machine.mjs';
import { writeAddresses } from './package-addresses.mjs';

const keptLines = 40;
// Explicit flags override what an outer `npm --silent` or NODE_ENV=production passes on through the environment.
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=http', '--color=false'];
const retryFlags = ['--fetch-retries=4', '--fetch-retry-mintimeout=1000', '--fetch-retry-factor=2'];

/** @typedef {{ folder: string, nodePath: string, chosen: readonly string[], onStart: (pid: number) => void }} Install */

/**
 * Runs `npm ci` in a folder with a given Node. The output of npm is shown only if it fails.
 * @param {Install} install
 */
export async function installWithNpm(install) {
  const { folder, nodePath } = install;
  const npm = npmCommand(nodePath);
  const env = { ...process.env, PATH: `${dirname(nodePath)}${delimiter}${process.env.PATH ?? ''}` };
  const forget = await writeAddresses(folder, npm, env);
  let end = await runCi(npm, env, install).finally(() => forget?.());
  // Some registries have packages at other URLs, which npm finds by itself.
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
 * npm caches downloads in the home folder. If that is not writable, they go into the clone.
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
 * Returns the end of npm's output without noise: successful downloads, stacks, and packages that require a newer Node than the one that npm
 * runs on.
 * @param {string} text
 */
function lastLines(text) {
  const noise = /EBADENGINE|^npm error +at |http (fetch|cache) .* [23]\d\d |^npm warn Unknown /;
  const lines = text.split('\n');
  const unfinished = lines.pop();
  return [...lines.filter((line) => !noise.test(line)).slice(-keptLines), unfinished].join('\n');
}

/**
 * npm is a script: it is run by the given Node, not by the one in its shebang.
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

/** @type {[RegExp, string][]} */
const reasons = [
  [/ENOSPC/, 'The disk is full. Free about 1 GB and run the command again.'],
  [
    /EACCES|EPERM|EROFS/,
    'A folder cannot be written. Run the command as the user who owns this clone, and check that the cache folder of ' +
      'npm (npm config get cache) can be written.',
  ],
  [
    /EINTEGRITY/,
    'A downloaded package is not the one in the lock file. Run "npm cache clean --force" and try again; if it stays, ' +
      'do not trust the package registry in use (npm config get registry).',
  ],
  [/E401|E403/, 'The package registry refused the download. Check its address and login (npm config get registry).'],
  [
    /ETARGET|E404|notarget/,
    'The package registry in use (npm config get registry) does not have a package that the lock file names.',
  ],
  [
    /EUSAGE|can only install packages when/,
    'package.json and package-lock.json do not agree. Run "npm install" and commit the new lock file.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT|CERT|SELF_SIGNED/,
    'The package registry could not be reached. Check the network and the settings of npm (npm config get registry, ' +
      'npm config get proxy), then run the command again.',
  ],
];

const unknownReason = 'Read what npm says below, then run the command again.';
// npm omits an optional package without saying why.
const silentReason =
  'Either the package registry in use (npm config get registry) could not be reached or lacks them, or the cache ' +
  'folder of npm (npm config get cache) cannot be written. Check both, then run the command again.';

/**
 * Explains why npm failed and what to do, followed by the end of its output.
 * @param {{ output: string, folder: string, signal?: string | null, missing?: string[] }} failure
 */
function explainNpmFailure({ output, folder, signal, missing = [] }) {
  const what = missing.length > 0 ? `these packages in ${folder}: ${missing.join(', ')}` : `the packages of ${folder}`;
  const known = reasons.find(([pattern]) => pattern.test(output))?.[1];
  const killed = `npm was killed (${signal}), possibly because it ran out of memory. Run the command again.`;
  const reason = signal ? killed : (known ?? (missing.length > 0 ? silentReason : unknownReason));
  const quoted = output.trim() && `\n${output.trim().replace(/^/gm, '  | ')}`;
  return `npm could not install ${what}. ${reason}${quoted}`;
}

/** @typedef {string | string[] | undefined} Rule as in a lock file: "linux", ["linux", "darwin"], ["!win32"] */
/** @typedef {{ optionalDependencies?: Record<string, string>, os?: Rule, cpu?: Rule, libc?: Rule }} LockEntry */

/**
 * Returns the platform packages for this machine that an installed package depends on and that are not in node_modules. They are optional,
 * so npm reports success if it could not download one, and the program would fail much later.
 * @param {string} folder
 * @param {import('./machine.mjs').Machine} machine
 * @returns {string[]}
 */
function missingPlatformPackages(folder, machine) {
  /** @type {{ packages: Record<string, LockEntry> }} */
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const isInstalled = (/** @type {string} */ path) => existsSync(join(folder, path, 'package.json'));
  const requested = Object.entries(packages)
    .filter(([path]) => isInstalled(path))
    .flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).map((name) => resolve(packages, path, name)),
    )
    .filter((path) => path !== undefined);
  return [...new Set(requested)].filter((path) => isMadeFor(machine, packages[path] ?? {}) && !isInstalled(path));
}

/**
 * Returns where the lock file puts a package for its dependents: in its own node_modules, or in the nearest above.
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
