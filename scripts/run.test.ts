import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '@latchkey/test-kit';
import { makeFakeClone, startTask } from './fake-clone.ts';

const run = promisify(execFile);
const entry = fileURLToPath(new URL('run.mjs', import.meta.url));

test('an unknown task lists the available tasks', async () => {
  const refused = await run(process.execPath, [entry, 'strat']).catch((error) => error);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^There is no task "strat"\. The tasks are:\n {2}start /);
  for (const task of ['test', 'check', 'lint', 'format', 'routes', 'bench', 'latchkey'])
    assert.match(refused.stderr, new RegExp(` ${task} `));
  assert.doesNotMatch(refused.stderr, /\n +at /);
});

test('a task whose program is missing says which file to fetch again', async (t) => {
  const { code, stderr } = await startTask(t, makeFakeClone(t), 'routes').ended;
  assert.equal(code, 1);
  assert.match(stderr, /^scripts\/routes\.ts is missing from this clone\./);
});

test('invalid settings are reported before anything is installed', async (t) => {
  const clone = makeFakeClone(t, {
    'packages/server/src/cli/main.ts': '',
    'packages/server/src/check-settings.ts':
      'const told: string = "LATCHKEY_PORT must be a whole number."; process.stderr.write(told); process.exitCode = 78;',
  });
  const { code, stderr } = await startTask(t, clone, 'start').ended;
  assert.equal(code, 1);
  assert.match(stderr, /LATCHKEY_PORT must be a whole number\./);
  assert.doesNotMatch(stderr, /Installing packages|\n +at /);
  assert.equal(existsSync(join(clone.root, 'npm-runs.txt')), false);
});

test('a program gets the arguments, and its exit code is passed on', async (t) => {
  const clone = makeFakeClone(t, {
    'packages/server/src/cli/main.ts': 'console.log(process.argv.slice(2).join(" ") as string); process.exitCode = 7;',
  });
  const { code, stdout } = await startTask(t, clone, 'latchkey', 'apps', 'approve', '--all').ended;
  assert.deepEqual({ code, stdout }, { code: 7, stdout: 'apps approve --all\n' });
  assert.match((await startTask(t, clone, 'start', '--port', '0').ended).stdout, /^start --port 0\n/);
});

test('lint and format run Biome on everything, or on the files named', async (t) => {
  const clone = makeFakeClone(t, {
    'npm-does.mjs': `import { writeFileSync } from 'node:fs';
      writeFileSync('node_modules/@biomejs/biome/bin/biome', 'console.log(process.argv.slice(2).join(" "))');`,
  });
  assert.equal((await startTask(t, clone, 'lint').ended).stdout, 'check .\n');
  assert.equal((await startTask(t, clone, 'format', 'scripts').ended).stdout, 'check --write scripts\n');
});

const server = `
  import { appendFileSync, existsSync } from 'node:fs';
  const end = () => (existsSync('end.txt') ? setTimeout(() => process.exit(3), 300) : setTimeout(end, 20));
  process.on('SIGTERM', () => {
    appendFileSync('signals.txt', 'SIGTERM ');
    end();
  });
  process.on('exit', () => appendFileSync('stopped.txt', ''));
  setInterval(() => {}, 1_000);
  appendFileSync('ready.txt', '');`;

test('a signal reaches the program once, however often it is repeated within a second', async (t) => {
  const clone = makeFakeClone(t, { 'packages/server/src/cli/main.ts': server });
  const { child, ended } = startTask(t, clone, 'start');
  await until('the program is ready', () => existsSync(join(clone.root, 'ready.txt')));
  child.kill('SIGTERM');
  await until('the signal came', () => existsSync(join(clone.root, 'signals.txt')));
  child.kill('SIGTERM');
  writeFileSync(join(clone.root, 'end.txt'), '');
  assert.equal((await ended).code, 3);
  assert.equal(readFileSync(join(clone.root, 'signals.txt'), 'utf8'), 'SIGTERM ');
});

test('a program whose parent is killed stops by itself', async (t) => {
  const clone = makeFakeClone(t, { 'packages/server/src/cli/main.ts': server });
  writeFileSync(join(clone.root, 'end.txt'), '');
  const { child } = startTask(t, clone, 'start');
  await until('the program is ready', () => existsSync(join(clone.root, 'ready.txt')));
  child.kill('SIGKILL');
  await until('the program stopped', () => existsSync(join(clone.root, 'stopped.txt')));
  assert.equal(readFileSync(join(clone.root, 'signals.txt'), 'utf8'), 'SIGTERM ');
});
