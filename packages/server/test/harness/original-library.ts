import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** This `action` requires version 0.50 of `common`. */
const packages = ['@collabland/action@0.11.0', '@collabland/common@0.50.0'];
const program = fileURLToPath(new URL('./original-mini-app.mjs.txt', import.meta.url));

/**
 * Returns a folder with the original platform's published mini-app library. It has 500 dependencies, so only a deep run
 * installs it; LATCHKEY_ORIGINAL_LIBRARY can point to an existing installation.
 */
export async function installOriginalLibrary(): Promise<string> {
  const present = process.env.LATCHKEY_ORIGINAL_LIBRARY;
  if (present !== undefined) return present;
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-original-'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['install', ...quietly, ...packages], { cwd: folder });
  return folder;
}

/** Runs a mini-app of that library with the server's keys. */
export async function startOriginalApp(
  folder: string,
  keys: Readonly<Record<string, string>>,
): Promise<{ app: ChildProcess; url: string }> {
  const file = join(folder, 'original-mini-app.mjs');
  await copyFile(program, file);
  const app = spawn(process.execPath, [file], { cwd: folder, env: keys, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface({ input: app.stdout }), 'line');
  return { app, url: `http://127.0.0.1:${/port (\d+)/.exec(line)?.[1]}` };
}
