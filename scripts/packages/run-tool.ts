import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmCommand } from '../setup/npm.mjs';

export const root = join(import.meta.dirname, '../..');

/** Runs the compiler on a folder with a tsconfig.json. Throws its errors. */
export async function runCompiler(folder: string): Promise<void> {
  await run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false', '--checkers', '1'],
    folder,
  );
}

/** Runs npm in a folder, offline unless the network is needed, and returns its output. */
export async function runNpm(folder: string, args: readonly string[], { isOnline = false } = {}): Promise<string> {
  const [command, ...first] = npmCommand(process.execPath);
  // The user's cache may not be writable, and must not be used.
  const apart = ['--offline', `--cache=${join(folder, '.npm-cache')}`];
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', ...(isOnline ? [] : apart)];
  return run(command, [...first, ...args, ...flags], folder);
}

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${args.slice(0, 3).join(' ')} failed in ${cwd}:\n${stdout}${stderr}`, { cause: error });
  }
}
