import { spawn } from 'node:child_process';
import { Problem } from '../problem.mjs';
import { passSignals } from '../signals.mjs';

const keptCharacters = 2_000;
// Another apt-get may be at work; downloads are tried again before they count as failed.
const flags = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3', '-q', '-y'];

/**
 * Installs a package of the system, after fetching the lists of packages, which a container comes without. What
 * apt-get prints is shown only if it fails.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
export async function installWithApt(name, env) {
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
  const child = spawn('apt-get', [...flags, ...words], {
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
