import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCompiler, runNpm } from './run-tool.ts';

export interface Project extends AsyncDisposable {
  folder: string;
  write(path: string, text: string): Promise<void>;
  /** Runs a file of it and returns what it prints. */
  run(path: string, env?: Record<string, string>, args?: readonly string[]): Promise<string>;
  /** Starts a file that keeps running, and waits until it has printed this. Disposing of it ends it. */
  start(path: string, env: Record<string, string>, printed: RegExp): Promise<Started>;
  /** Compiles its sources with the options of a strict third-party project. Throws the errors. */
  compile(): Promise<void>;
}

export interface Started extends AsyncDisposable {
  /** The match of the pattern's first group. */
  found: string;
}

/** Creates an empty project outside of this repository, with only the tarballs installed, and with a Node to run it. */
export async function newProject(tarballs: readonly string[], node = process.execPath): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-project-'));
  const write = async (path: string, text: string) => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await write('package.json', JSON.stringify({ name: 'somebody-else', private: true, type: 'module' }));
  await runNpm(folder, ['install', '--ignore-scripts', ...tarballs]);
  return {
    folder,
    write,
    run: async (path, env = {}, args = []) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
      const { stdout } = await promisify(execFile)(node, [path, ...args], options);
      return stdout;
    },
    start: (path, env, printed) => startFile(node, folder, path, env, printed),
    compile: async () => {
      const compilerOptions = {
        target: 'es2022',
        module: 'nodenext',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: [],
        strict: true,
        noEmit: true,
        exactOptionalPropertyTypes: true,
      };
      await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      await runCompiler(folder);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startFile(
  node: string,
  cwd: string,
  path: string,
  env: Record<string, string>,
  printed: RegExp,
): Promise<Started> {
  const child = spawn(node, [path], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (printed.test(text)) break;
  }
  const found = printed.exec(text);
  if (found === null) throw new Error(`${path} ended without printing ${printed}: ${text}`);
  child.stdout.resume();
  return {
    found: found[1] ?? '',
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface Sample {
  language: string;
  text: string;
}

/** Returns the code blocks of a README, in order. */
export async function readSamples(readme: string): Promise<Sample[]> {
  const text = await readFile(readme, 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    text: code,
  }));
}
