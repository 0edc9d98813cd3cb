import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { volume } from '@latchkey/test-kit';
import { portalFolder } from '../config/folders.ts';
import { programWith, readPrograms } from '../samples/programs.ts';
import { startEthAccount } from './eth-account.ts';

type Environment = Readonly<Record<string, string>>;

/** A folder in which programs of pages are files that run. */
export interface Workshop extends AsyncDisposable {
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Runs a command such as `node site.ts` to its end, and answers what it printed. */
  run(command: string, env?: Environment): Promise<string>;
  /** Starts one that goes on until it is disposed of. */
  start(command: string, env?: Environment): Started;
}

/** A program that goes on. */
interface Started extends AsyncDisposable {
  printed(): string;
}

const isUsual = volume(0, 1) === 0;
const hasModule = (name: string) => spawnSync('python3', ['-c', `import ${name}`]).status === 0;

/** Why the programs in Python, which only the deep run starts, cannot run on this machine; false if they can. */
export const withoutPython = !isUsual && !hasModule('sys') && 'There is no Python here.';
/** The same for those that check Ed25519 signatures. */
export const withoutKeys =
  withoutPython || (!isUsual && !hasModule('cryptography') && 'Python has no cryptography here.');

const typescript = readPrograms(['ts']).programs;
const python = readPrograms(['py']).programs;

/** A program of a page in both languages, each found by words of its own. */
export function emulatorsOf(file: string, words: { ts: string; py: string }): { ts: string; py: string } {
  return { ts: programWith(typescript, file, words.ts).text, py: programWith(python, file, words.py).text };
}

export function typescriptOf(file: string, words: string): string {
  return programWith(typescript, file, words).text;
}

/** The blocks of such a program. */
export function partsOf(file: string, words: { ts: string; py: string }): { ts: string[]; py: string[] } {
  return { ts: programWith(typescript, file, words.ts).parts, py: programWith(python, file, words.py).parts };
}

export async function openWorkshop(): Promise<Workshop> {
  // Inside the clone, so that imports are found as they are from an application in it.
  const generated = join(portalFolder, '.generated');
  await mkdir(generated, { recursive: true });
  const folder = await mkdtemp(join(generated, 'programs-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const ethAccount = isUsual || hasModule('eth_account') ? undefined : await startEthAccount(join(folder, 'packages'));
  const launch = (command: string, env: Environment) => {
    const [program = '', ...args] = command.split(' ');
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    return spawn(program === 'node' ? process.execPath : program, args, {
      cwd: folder,
      env: {
        PATH,
        HOME,
        NODE_COMPILE_CACHE,
        PYTHONUNBUFFERED: '1',
        PYTHONDONTWRITEBYTECODE: '1',
        ...ethAccount?.environment,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  return {
    write: async (files) => {
      for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    },
    run: async (command, env = {}) => {
      const child = launch(command, env);
      const ended = once(child, 'close');
      const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [status] = await ended;
      assert.equal(status, 0, `${command} ended with ${status}: ${out}${error}`);
      return out;
    },
    start: (command, env = {}) => {
      const child = launch(command, env);
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        printed += chunk;
      });
      child.stderr.resume();
      const ended = once(child, 'exit');
      return {
        printed: () => printed,
        [Symbol.asyncDispose]: async () => {
          child.kill('SIGKILL');
          await ended;
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      await ethAccount?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
