import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

export type FakeClone = { root: string; write(path: string, text: string): void };
export type Ended = { code: number | null; stdout: string; stderr: string };

const fakeChromium = 'fake-chromium';
const tasks = new URL('tasks.mjs', import.meta.url).href;

/** Every run of this npm is recorded in npm-runs.txt; `npm-does.mjs` in the clone defines what it does, if present. */
const fakeNpm = `
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
appendFileSync(process.env.FAKE_CLONE + '/npm-runs.txt', process.argv.slice(2).join(' ') + '\\n');
rmSync('node_modules', { recursive: true, force: true });
for (const path of ['node_modules/typescript/bin', 'node_modules/@biomejs/biome/bin']) mkdirSync(path, { recursive: true });
writeFileSync('node_modules/typescript/bin/tsc', '');
writeFileSync('node_modules/@biomejs/biome/bin/biome', '');
const does = process.env.FAKE_CLONE + '/npm-does.mjs';
if (existsSync(does)) await import(does);
`;

/** Creates a folder with the few files that setup and tests read, and an npm that downloads nothing. */
export function makeFakeClone(t: TestContext, files: Record<string, string> = {}): FakeClone {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-clone-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const pins = { [`node-${process.platform}-${process.arch}`]: process.versions.node };
  write('scripts/runtime/package.json', JSON.stringify({ optionalDependencies: pins }));
  write('scripts/runtime/package-lock.json', '{"packages":{}}');
  write('scripts/browser/package-lock.json', '{"packages":{}}');
  write('package-lock.json', '{"packages":{}}');
  write('package.json', '{"type":"module"}');
  write('fake-npm/npm-cli.js', fakeNpm);
  write(fakeChromium, '#!/bin/sh\necho "Chromium 1.0"\n');
  chmodSync(join(root, fakeChromium), 0o755);
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { root, write };
}

/** Runs a task in a fake clone, in a separate process. */
export function startTask(t: TestContext, clone: FakeClone, ...words: string[]) {
  return startTaskIn(t, clone, {}, ...words);
}

/** Does the same in another environment. */
export function startTaskIn(t: TestContext, { root }: FakeClone, environment: NodeJS.ProcessEnv, ...words: string[]) {
  const program = `const { runTask } = await import(${JSON.stringify(tasks)});
    process.exitCode = await runTask(process.argv.slice(1), ${JSON.stringify(root)});`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, ...words], {
    env: {
      ...process.env,
      FAKE_CLONE: root,
      LATCHKEY_CHROMIUM: join(root, fakeChromium),
      npm_execpath: join(root, 'fake-npm/npm-cli.js'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return { child, ended: endOf(child) };
}

function endOf(child: ChildProcess): Promise<Ended> {
  const reply = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (reply.stdout += chunk));
  child.stderr?.on('data', (chunk) => (reply.stderr += chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...reply })));
}
