import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { type FakeClone, makeFakeClone, startTask, startTaskIn } from '../fake-clone.ts';

const program = { 'scripts/routes.ts': 'console.log("routes");', 'bench/run.ts': 'console.log("bench");' };

function npmRuns({ root }: FakeClone) {
  const log = join(root, 'npm-runs.txt');
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
}

async function runs(t: TestContext, clone: FakeClone, task: string) {
  const { code, stderr } = await startTask(t, clone, task).ended;
  assert.equal(code, 0, stderr);
}

test('a command for an operator’s own database installs no simulators, and one without such a database does', async (t) => {
  const clone = makeFakeClone(t, { 'packages/server/src/cli/main.ts': 'console.log("command");' });
  const ownDatabase = { DATABASE_URL: 'postgres://db.example.org/latchkey' };
  assert.equal((await startTaskIn(t, clone, ownDatabase, 'latchkey', 'worker').ended).code, 0);
  assert.match(npmRuns(clone)[0] ?? '', /--omit=dev$/);
  assert.equal((await startTaskIn(t, clone, { DATABASE_URL: '' }, 'latchkey', 'dev-app').ended).code, 0);
  assert.match(npmRuns(clone)[1] ?? '', /--include=dev --workspace=packages\/server$/);
  await runs(t, clone, 'start');
  assert.equal((await startTaskIn(t, clone, ownDatabase, 'latchkey', 'worker').ended).code, 0);
  assert.equal(npmRuns(clone).length, 2);
});

test('the own database may be named in the file .env', async (t) => {
  const clone = makeFakeClone(t, {
    'packages/server/src/cli/main.ts': 'console.log("command");',
    '.env': '# the database\nDATABASE_URL=postgres://db.example.org/latchkey\n',
  });
  const undone = { DATABASE_URL: undefined, LATCHKEY_SIGNER_DATABASE_URL: undefined };
  const { code, stderr } = await startTaskIn(t, clone, undone, 'latchkey', 'migrate').ended;
  assert.equal(code, 0, stderr);
  assert.match(npmRuns(clone)[0] ?? '', /--omit=dev$/);
});

test('packages are installed once, and the tests’ own packages only for a task that needs them', async (t) => {
  const clone = makeFakeClone(t, program);
  await runs(t, clone, 'routes');
  await runs(t, clone, 'routes');
  assert.equal(npmRuns(clone).length, 1);
  assert.match(npmRuns(clone)[0] ?? '', /^ci --ignore-scripts .*--omit=dev$/);
  await runs(t, clone, 'bench');
  assert.match(npmRuns(clone)[1] ?? '', /--include=dev$/);
  await runs(t, clone, 'routes');
  assert.equal(npmRuns(clone).length, 2);
});

test('a changed lock file is installed again', async (t) => {
  const clone = makeFakeClone(t, program);
  await runs(t, clone, 'routes');
  clone.write('package-lock.json', '{"packages":{},"changed":true}');
  await runs(t, clone, 'routes');
  assert.equal(npmRuns(clone).length, 2);
});

test('an install whose npm is killed halfway says so, and the next run does it again', async (t) => {
  const clone = makeFakeClone(t, { ...program, 'npm-does.mjs': 'process.kill(process.pid, "SIGKILL");' });
  const killed = await startTask(t, clone, 'routes').ended;
  assert.equal(killed.code, 1);
  assert.match(killed.stderr, /npm was killed \(SIGKILL\)/);
  assert.doesNotMatch(killed.stderr, /\n +at /);
  rmSync(join(clone.root, 'npm-does.mjs'));
  await runs(t, clone, 'routes');
  assert.equal(npmRuns(clone).length, 2);
});

const manyPackages = JSON.stringify({
  packages: Object.fromEntries(
    Array.from({ length: 120 }, (_, n) => [`node_modules/p${n}`, { version: '1.0.0', integrity: 'sha512-x' }]),
  ),
});
/** An npm with a registry, which records whether it was given the URLs of packages, and may not find them there. */
const withRegistry = (findsThem: boolean) => `
import { appendFileSync, existsSync } from 'node:fs';
if (process.argv.includes('config')) console.log(JSON.stringify({ registry: 'https://registry.example.org' }));
else {
  const isTold = existsSync('npm-shrinkwrap.json');
  appendFileSync(process.env.FAKE_CLONE + '/told.txt', isTold + '\\n');
  if (isTold && !${findsThem}) {
    console.error('npm error code E404');
    process.exit(1);
  }
}`;
for (const [findsThem, report] of [
  [true, 'true\n'],
  [false, 'true\nfalse\n'],
] as const)
  test(`npm is told where many packages are, and ${findsThem ? 'asks about none' : 'looks for them where that is wrong'}`, async (t) => {
    const files = { ...program, 'package-lock.json': manyPackages, 'npm-does.mjs': withRegistry(findsThem) };
    const clone = makeFakeClone(t, files);
    await runs(t, clone, 'routes');
    assert.equal(readFileSync(join(clone.root, 'told.txt'), 'utf8'), report);
    assert.equal(existsSync(join(clone.root, 'npm-shrinkwrap.json')), false);
  });

test('a failing npm is explained, with the end of what it printed', async (t) => {
  const failing = 'console.error("npm error code ENOTFOUND\\nnpm error network request failed"); process.exit(1);';
  const { code, stdout, stderr } = await startTask(t, makeFakeClone(t, { ...program, 'npm-does.mjs': failing }), 'test')
    .ended;
  assert.equal(code, 1);
  assert.match(stderr, /The package registry could not be reached\. Check the network/);
  assert.match(stderr, /\| npm error network request failed/);
  assert.match(stdout, /^0 passed, 1 failed\n$/);
});

test('a package for this machine that npm silently left out is noticed', async (t) => {
  const entry = { os: [process.platform], cpu: process.arch, optional: true };
  const root = { optionalDependencies: { 'engine-for-here': '1.0.0' } };
  const lock = JSON.stringify({ packages: { '': root, 'node_modules/engine-for-here': entry } });
  const { code, stderr } = await startTask(t, makeFakeClone(t, { ...program, 'package-lock.json': lock }), 'routes')
    .ended;
  assert.equal(code, 1);
  assert.match(stderr, /npm could not install these packages in .*: node_modules\/engine-for-here\./);
});

test('the pinned Node is installed, used, and repaired when part of it is missing', async (t) => {
  const name = `node-${process.platform}-${process.arch}`;
  const clone = makeFakeClone(t, program);
  clone.write('scripts/runtime/package.json', JSON.stringify({ optionalDependencies: { [name]: '99.0.0' } }));
  // The fake newer Node prints its version and otherwise runs the Node of this test.
  const node = `#!/bin/sh\\n[ "$1" = --version ] && echo v99.0.0 && exit\\nexec "${process.execPath}" "$@"\\n`;
  clone.write(
    'npm-does.mjs',
    `import { mkdirSync, writeFileSync } from 'node:fs';
     mkdirSync('node_modules/${name}/bin', { recursive: true });
     writeFileSync('node_modules/${name}/bin/node', '${node}', { mode: 0o755 });`,
  );
  await runs(t, clone, 'routes');
  await runs(t, clone, 'routes');
  assert.equal(npmRuns(clone).length, 2);
  rmSync(join(clone.root, '.runtime/node_modules', name, 'bin/node'));
  await runs(t, clone, 'routes');
  assert.equal(npmRuns(clone).length, 3);
  assert.ok(statSync(join(clone.root, '.runtime/node_modules', name, 'bin/node')).isFile());
});

test('of two setups at once the second waits and finds everything done', async (t) => {
  const clone = makeFakeClone(t, program);
  const untilFile = (name: string) => `while (!existsSync(process.env.FAKE_CLONE + '/${name}')) await sleep(20);`;
  clone.write(
    'npm-does.mjs',
    `import { existsSync } from 'node:fs'; import { setTimeout as sleep } from 'node:timers/promises';\n${untilFile('go')}`,
  );
  const first = startTask(t, clone, 'routes');
  await until('npm runs', () => npmRuns(clone).length === 1);
  const second = startTask(t, clone, 'routes');
  let message = '';
  second.child.stderr?.on('data', (chunk) => (message += chunk));
  await until('the second setup waits', () =>
    message.includes(`Another setup of this clone is running (process ${first.child.pid}); waiting for it`),
  );
  writeFileSync(join(clone.root, 'go'), '');
  assert.deepEqual([(await first.ended).code, (await second.ended).code], [0, 0]);
  assert.equal(npmRuns(clone).length, 1);
});

test('after a setup is killed the next one waits for its orphaned npm, then starts over', async (t) => {
  const clone = makeFakeClone(t, program);
  clone.write(
    'npm-does.mjs',
    `import { existsSync } from 'node:fs'; import { setTimeout as sleep } from 'node:timers/promises';
     while (!existsSync(process.env.FAKE_CLONE + '/go')) await sleep(20);`,
  );
  const first = startTask(t, clone, 'routes');
  await until('npm runs', () => npmRuns(clone).length === 1);
  first.child.kill('SIGKILL');
  const second = startTask(t, clone, 'routes');
  let message = '';
  second.child.stderr?.on('data', (chunk) => (message += chunk));
  await until('it waits', () => message.includes('waiting for it'));
  writeFileSync(join(clone.root, 'go'), '');
  assert.equal((await second.ended).code, 0);
  assert.equal(npmRuns(clone).length, 2);
});

test('where the home cannot be written npm keeps its downloads in the clone', async (t) => {
  const clone = makeFakeClone(t, { ...program, 'no-folder': '' });
  // No user can write below a file, not even root.
  const home = join(clone.root, 'no-folder');
  const environment = { HOME: home, npm_config_cache: join(home, '.npm') };
  const { code } = await startTaskIn(t, clone, environment, 'routes').ended;
  assert.equal(code, 0);
  assert.match(npmRuns(clone)[0] ?? '', new RegExp(` --cache=${clone.root}/\\.runtime/npm-cache$`));
});

/** A server that runs from a clone until it is stopped, and records that in its data folder like the real one. */
const instance = `import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
  mkdirSync('data', { recursive: true });
  writeFileSync('data/running.new', JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:3000' }));
  renameSync('data/running.new', 'data/running.json');
  setInterval(() => {}, 1_000);
  process.on('SIGTERM', () => process.exit(0));`;

/** A clone with the packages for trying Latchkey out and an instance that runs from it. */
async function makeCloneInUse(t: TestContext) {
  const clone = makeFakeClone(t, { ...program, 'packages/server/src/cli/main.ts': instance });
  const started = startTask(t, clone, 'start');
  const note = join(clone.root, 'data/running.json');
  const { pid } = await until('it runs', () => existsSync(note) && JSON.parse(readFileSync(note, 'utf8')));
  return { clone, started, pid };
}

test('a task that must install packages leaves those of a running instance alone and says what to do', async (t) => {
  const { clone, started, pid } = await makeCloneInUse(t);
  const stamp = join(clone.root, 'node_modules/.latchkey-setup.json');
  const before = statSync(stamp).mtimeMs;
  for (const task of ['bench', 'test']) {
    const refused = await startTask(t, clone, task).ended;
    assert.equal(refused.code, 1);
    assert.ok(refused.stderr.includes(`latchkey start (process ${pid}, http://127.0.0.1:3000). Nothing was changed.`));
    assert.match(refused.stderr, new RegExp(`Stop it \\(.*"kill ${pid}"\\).* another clone: git clone "`));
    assert.doesNotMatch(refused.stderr, /Installing|\n +at /);
  }
  assert.equal(npmRuns(clone).length, 1);
  assert.equal(statSync(stamp).mtimeMs, before);
  await runs(t, clone, 'routes');
  assert.equal(npmRuns(clone).length, 1, 'what is installed is enough for this one');
  process.kill(pid, 'SIGTERM');
  assert.equal((await started.ended).code, 0);
  await runs(t, clone, 'bench');
  assert.equal(npmRuns(clone).length, 2);
});

test('neither packages nor the pinned Node are replaced after an upgrade until the instance is stopped', async (t) => {
  const { clone } = await makeCloneInUse(t);
  clone.write('package-lock.json', '{"packages":{},"changed":true}');
  assert.match((await startTask(t, clone, 'routes').ended).stderr, /^This command must install packages first/m);
  const name = `node-${process.platform}-${process.arch}`;
  clone.write('scripts/runtime/package.json', JSON.stringify({ optionalDependencies: { [name]: '99.0.0' } }));
  assert.match((await startTask(t, clone, 'routes').ended).stderr, /^This command must install packages first/m);
  assert.equal(npmRuns(clone).length, 1);
});

test('an instance that was killed does not block an installation', async (t) => {
  const { clone, started, pid } = await makeCloneInUse(t);
  started.child.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await started.ended;
  await runs(t, clone, 'bench');
  assert.equal(npmRuns(clone).length, 2);
});

test('a server that a supervisor started without npm is noticed', { skip: process.platform !== 'linux' }, async (t) => {
  const clone = makeFakeClone(t, { ...program, 'packages/server/src/cli/main.ts': instance });
  await runs(t, clone, 'routes');
  const server = spawn(process.execPath, ['packages/server/src/cli/main.ts', 'worker'], { cwd: clone.root });
  t.after(() => server.kill('SIGKILL'));
  await until('it runs', () => existsSync(join(clone.root, 'data/running.json')));
  const { code, stderr } = await startTask(t, clone, 'bench').ended;
  assert.equal(code, 1);
  assert.ok(stderr.includes(`latchkey worker (process ${server.pid}). Nothing was changed.`), stderr);
});
