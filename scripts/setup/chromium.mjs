import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem } from '../problem.mjs';
import { step } from '../step.mjs';
import { installWithApt } from './apt.mjs';
import { readStamp, stampSays, writeStamp } from './stamp.mjs';

const variable = 'LATCHKEY_CHROMIUM';
/** The one without windows comes first: it does the same in half the time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const debianPackage = 'chromium-headless-shell';
const macPrograms = ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome'];
const answerWithinMs = 30_000;

/**
 * @typedef {{
 *   platform: string,
 *   env: NodeJS.ProcessEnv,
 *   isRoot: boolean,
 *   system: string,
 *   applications: string,
 *   out: NodeJS.WritableStream,
 * }} Host system: the ID in os-release; applications: where macOS keeps programs; out: where to say what is done
 */

/** @returns {Host} */
function thisHost() {
  return {
    platform: process.platform,
    env: process.env,
    isRoot: process.getuid?.() === 0,
    system: readSystem(),
    applications: '/Applications',
    out: process.stderr,
  };
}

/**
 * Answers the program of a Chromium or Chrome, which the tests of the web pages drive. Where none is and Debian's
 * package can be installed, it is.
 * @param {string} root
 * @param {Host} [host]
 * @returns {Promise<string>}
 */
export async function setUpChromium(root, host = thisHost()) {
  const chosen = host.env[variable];
  if (chosen) return checked(root, host, chosen) ?? refuse(`${variable} is ${chosen}, which is no Chromium that runs.`);
  const found = findChromium(root, host);
  if (found) return found;
  if (host.platform !== 'linux' || host.system !== 'debian' || !host.isRoot) return refuse(adviceFor(host));
  const install = () => installWithApt(debianPackage, host.env);
  await step(host.out, 'Installing Chromium for the tests of the web pages', install);
  return (
    findChromium(root, host) ?? refuse(`The package ${debianPackage} is installed now, but its program does not run.`)
  );
}

/**
 * @param {string} root
 * @param {Host} host
 */
function findChromium(root, host) {
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
 * Hands a path back if a browser that runs is there. What calls itself chromium-browser on Ubuntu may be a script that
 * only speaks of the snap, so the program is asked once, and the stamp remembers its answer.
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
 * What cannot be looked at, such as a folder of the PATH that belongs to somebody else, is as good as missing.
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
