import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCompiler, runNpm } from './run-tool.ts';

export interface Project extends AsyncDisposable {
  folder: string;
  write(path: string, text: string): Promise<void>;
  /** Runs a file of it with a Node, the one of these tests unless told, and returns what it prints. */
  run(path: string, env?: Record<string, string>, node?: string): Promise<string>;
  /** Compiles its sources under the options of a strict project of others. What is wrong is thrown. */
  compile(): Promise<void>;
}

/** An empty project in a folder far from this repository, with the tarballs installed and nothing else. */
export async function newProject(tarballs: readonly string[]): Promise<Project> {
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
    run: async (path, env = {}, node = process.execPath) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } };
      const { stdout } = await promisify(execFile)(node, [path], options);
      return stdout;
    },
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

export interface Sample {
  language: string;
  text: string;
}

/** The code blocks of a README, in their order. */
export async function readSamples(readme: string): Promise<Sample[]> {
  const text = await readFile(readme, 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    text: code,
  }));
}
