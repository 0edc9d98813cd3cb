import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Version 0.50 of `common` is the one that this `action` asks for. */
const packages = ['@collabland/action@0.11.0', '@collabland/common@0.50.0'];
const program = fileURLToPath(new URL('./original-mini-app.mjs.txt', import.meta.url));

/**
 * A folder with the published library for mini-apps of the original platform. It brings 500 packages, so only a deep run
 * installs it; LATCHKEY_ORIGINAL_LIBRARY names a folder that has it.
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

/** Runs a mini-app of that library with these keys of the server. */
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
