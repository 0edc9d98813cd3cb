import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Problem } from '../problem.mjs';
import { passSignals } from '../signals.mjs';

const keptCharacters = 600;
/** A network that drops what it does not allow should not cost minutes. */
const connectWithinMs = 10_000;
const programs = ['chrome-headless-shell', 'headless_shell'];

/**
 * The Chromium that Playwright downloaded into the clone, if it did.
 * @param {string} root
 * @returns {string | undefined}
 */
export function findDownloadedChromium(root) {
  const folder = homeOf(root);
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const found = files.findLast((path) => programs.includes(basename(path)));
  return found && join(folder, found);
}

/**
 * Has Playwright download the Chromium that it was made for. What it prints is shown only if it fails.
 * @param {string} root
 * @returns {Promise<string>} its program
 */
export async function downloadChromium(root) {
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
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-keptCharacters);
    });
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', resolve);
  });
  signals.stop();
  if (signals.received()) throw new Problem('Stopped. Run the command again to finish the setup.');
  const program = findDownloadedChromium(root);
  if (code !== 0 || program === undefined)
    throw new Problem(`Playwright could not download it (${code}).\n${said.trim().replace(/^/gm, '  | ')}`);
  return program;
}

/** @param {string} root */
function homeOf(root) {
  return join(root, '.runtime/playwright');
}
