import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeFakeClone, startTask, startTaskIn } from './fake-clone.ts';
import { findTestFiles } from './test-files.mjs';
import { usualLimits } from './test-process.mjs';
import { runTestFiles } from './test-processes.mjs';
import { until } from './until.ts';

const node = { path: process.execPath, version: process.versions.node };
const passing = `import { test } from 'node:test'; test('it works', () => {});`;
const failing = `import { test } from 'node:test'; import assert from 'node:assert/strict';
test('it adds', () => assert.equal(1 + 1, 3));`;

async function tallyOf(t: TestContext, text: string, limits = usualLimits) {
  const clone = makeFakeClone(t, { 'packages/a/one.test.ts': passing, 'packages/b/two.test.ts': text });
  const files = findTestFiles(clone.root, { slow: true, filters: [] });
  const { passed, skipped, failures } = await runTestFiles(clone.root, node, files, { limits });
  return { passed, skipped, failures };
}

test('the last line counts types, lint and tests, and the exit code is 0 when all passed', async (t) => {
  const { code, stdout } = await startTask(t, makeFakeClone(t, { 'packages/a/one.test.ts': passing }), 'test').ended;
  assert.match(stdout, /^Types … passed in .*\nLint … passed in /);
  assert.equal(stdout.split('\n').at(-2), '3 passed, 0 failed');
  assert.equal(code, 0);
});

test('a failing test is shown with its title, place and difference, and makes the exit code 1', async (t) => {
  const clone = makeFakeClone(t, { 'packages/a/one.test.ts': passing, 'bench/two.test.ts': failing });
  const { code, stdout } = await startTask(t, clone, 'test').ended;
  assert.match(stdout, /FAILED bench\/two\.test\.ts:2\n {2}it adds\n/);
  assert.match(stdout, /2 !== 3/);
  assert.match(stdout, /at .*bench\/two\.test\.ts:2:/);
  assert.equal(stdout.split('\n').at(-2), '3 passed, 1 failed');
  assert.equal(code, 1);
});

test('a type error is shown and counts as one failure', async (t) => {
  const clone = makeFakeClone(t, {
    'packages/a/one.test.ts': passing,
    'npm-does.mjs': `import { writeFileSync } from 'node:fs';
      writeFileSync('node_modules/typescript/bin/tsc', 'console.log("a.ts(1,1): error TS1"); process.exit(2)');`,
  });
  const { code, stdout } = await startTask(t, clone, 'test').ended;
  assert.match(stdout, /^Types … failed in .*\na\.ts\(1,1\): error TS1\nLint/);
  assert.equal(stdout.split('\n').at(-2), '2 passed, 1 failed');
  assert.equal(code, 1);
});

test('a test process that is killed counts as a failure', async (t) => {
  const kills = `import { test } from 'node:test'; test('it dies', () => process.kill(process.pid, 'SIGKILL'));`;
  const { code, stdout } = await startTask(t, makeFakeClone(t, { 'packages/a/one.test.ts': kills }), 'test').ended;
  assert.match(stdout, /The test process was killed by SIGKILL before its tests had ended\./);
  assert.equal(stdout.split('\n').at(-2), '2 passed, 1 failed');
  assert.equal(code, 1);
});

test('a test that leaves with exit code 0 does not pass for a finished run', async (t) => {
  const { failures } = await tallyOf(t, `import { test } from 'node:test'; test('it leaves', () => process.exit(0));`);
  assert.match(failures[0]?.text ?? '', /The test process ended with code 0 before its tests had ended\./);
});

/** Notes the process it runs in, after waiting for the notes of the other files: alone it would wait for ever. */
function meets(name: string, ...others: string[]) {
  return `import { existsSync, writeFileSync } from 'node:fs'; import { test } from 'node:test';
    test('it runs', async () => {
      writeFileSync('${name}.pid', String(process.pid));
      while (!${JSON.stringify(others)}.every((other) => existsSync(other + '.pid'))) await new Promise(setImmediate);
    });`;
}

test('files run in two processes side by side, and each is counted once', async (t) => {
  const clone = makeFakeClone(t, {
    'packages/a/one.test.ts': meets('one', 'two'),
    'packages/b/two.test.ts': meets('two', 'one'),
    'packages/c/three.test.ts': meets('three'),
  });
  const files = findTestFiles(clone.root, { slow: true, filters: [] });
  const { passed, failures, fileTimings } = await runTestFiles(clone.root, node, files, { processes: 2 });
  assert.deepEqual({ passed, failures }, { passed: 3, failures: [] });
  assert.deepEqual(fileTimings.map(({ file }) => file).sort(), files);
  const pids = ['one', 'two', 'three'].map((name) => readFileSync(join(clone.root, `${name}.pid`), 'utf8'));
  assert.equal(new Set(pids).size, 2);
});

test('a process that is killed takes nothing away from what the other found', async (t) => {
  const kills = `import { test } from 'node:test'; test('it dies', () => process.kill(process.pid, 'SIGKILL'));`;
  const clone = makeFakeClone(t, {
    'packages/a/one.test.ts': kills,
    'packages/b/two.test.ts': `${failing} test('it works', () => {});`,
    'scripts/test-seconds.json': '{ "packages/a/one.test.ts": 5, "packages/b/two.test.ts": 5 }',
  });
  const { code, stdout } = await startTask(t, clone, 'test').ended;
  assert.match(
    stdout,
    /killed by SIGKILL before its tests had ended\.\n +Not finished:\n +packages\/a\/one\.test\.ts\n/,
  );
  assert.match(stdout, /FAILED packages\/b\/two\.test\.ts/);
  assert.equal(stdout.split('\n').at(-2), '3 passed, 2 failed');
  assert.equal(code, 1);
});

test('a process that cannot be started counts as a failure', async (t) => {
  const { root } = makeFakeClone(t, { 'packages/a/one.test.ts': passing });
  const nowhere = { path: join(root, 'no-node'), version: '0' };
  const { passed, failures } = await runTestFiles(root, nowhere, ['packages/a/one.test.ts']);
  assert.equal(passed, 0);
  assert.match(
    failures[0]?.text ?? '',
    /^The test process could not be started: .*ENOENT\nNot finished:\n {2}packages/,
  );
});

test('how long the files took is recorded when asked for', async (t) => {
  const slow = `import { test } from 'node:test'; test('it takes its time', () => new Promise((end) => setTimeout(end, 1_500)));`;
  const clone = makeFakeClone(t, { 'packages/a/one.test.ts': passing, 'packages/b/two.test.ts': slow });
  const { code, stdout } = await startTask(t, clone, 'test', '--record').ended;
  assert.match(stdout, /Slowest files:\n +[1-9][\d.]* s {2}packages\/b\/two\.test\.ts\n/);
  assert.match(stdout, /Their times are recorded in scripts\/test-seconds\.json\.\n4 passed, 0 failed\n$/);
  assert.equal(code, 0);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(clone.root, 'scripts/test-seconds.json'), 'utf8'))), [
    'packages/b/two.test.ts',
  ]);
});

test('tests are told where the browser is', async (t) => {
  const looks = `import { test } from 'node:test'; import assert from 'node:assert/strict';
    test('it is told', () => assert.equal(process.env.LATCHKEY_CHROMIUM, process.cwd() + '/fake-chromium'));`;
  const { code, stdout } = await startTask(t, makeFakeClone(t, { 'apps/a/one.test.ts': looks }), 'test').ended;
  assert.equal(stdout.split('\n').at(-2), '3 passed, 0 failed');
  assert.equal(code, 0);
});

test('without a browser a whole run does not begin, but chosen files run', async (t) => {
  const clone = makeFakeClone(t, { 'packages/a/one.test.ts': passing });
  const whole = await startTaskIn(t, clone, { LATCHKEY_CHROMIUM: '/nowhere' }, 'test').ended;
  assert.match(whole.stderr, /The tests of the web pages need a Chromium\. LATCHKEY_CHROMIUM is \/nowhere/);
  assert.deepEqual([whole.code, whole.stdout], [1, '0 passed, 1 failed\n']);
  const chosen = await startTaskIn(t, clone, { LATCHKEY_CHROMIUM: '/nowhere' }, 'test', 'packages/a').ended;
  assert.match(chosen.stderr, /The tests of the web pages need a Chromium/);
  assert.deepEqual([chosen.code, chosen.stdout.split('\n').at(-2)], [0, '3 passed, 0 failed']);
});

test('only leaf tests are counted', async (t) => {
  const { passed, skipped, failures } = await tallyOf(
    t,
    `import { describe, test } from 'node:test';
     describe('a suite', () => { test('one', () => {}); test('two', () => { throw new Error('no'); }); });
     test('with parts', async (t) => { await t.test('three', () => {}); });
     test('left out', { skip: true }, () => {});`,
  );
  assert.deepEqual({ passed, skipped, failed: failures.length }, { passed: 3, skipped: 1, failed: 1 });
  assert.equal(failures[0]?.title, 'a suite › two');
});

test('failures that Node does not count are counted', async (t) => {
  const start = `import { after, test } from 'node:test'; test('fine', () => {});`;
  const hook = await tallyOf(t, `${start} after(() => { throw new Error('cannot close'); });`);
  assert.match(hook.failures[0]?.text ?? '', /^cannot close/);
  const load = await tallyOf(t, `${start} throw new Error('thrown while loading');`);
  assert.match(load.failures[0]?.text ?? '', /^thrown while loading/);
  const late = await tallyOf(
    t,
    `${start} test('late', () => { setImmediate(() => { throw new Error('too late'); }); });`,
  );
  assert.match(late.failures[0]?.text ?? '', /too late/);
  const empty = await tallyOf(t, 'export {};');
  assert.equal(empty.failures[0]?.title, 'the file declares no test');
});

test('a run that hangs is stopped, and the files that had not finished are named', async (t) => {
  const hangs = `import { test } from 'node:test';
    test('it waits for ever', () => new Promise((resolve) => setTimeout(resolve, 1e8)));`;
  const { passed, failures } = await tallyOf(t, hangs, { ...usualLimits, wholeRunMs: 10_000 });
  assert.equal(passed, 1);
  assert.equal(
    failures[0]?.text,
    'The tests were stopped after 10 s.\nNot finished:\n  packages/b/two.test.ts\nRunning at the time:\n  it waits for ever',
  );
});

test('a run that something keeps alive after its last test is stopped and fails', async (t) => {
  const leaks = `import { createServer } from 'node:net'; import { test } from 'node:test';
    test('it opens a port', () => new Promise((resolve) => createServer().listen(0, resolve)));`;
  const { passed, failures } = await tallyOf(t, leaks, { ...usualLimits, closingMs: 5_000 });
  assert.equal(passed, 2);
  assert.match(failures[0]?.text ?? '', /All tests ended, but .* kept the process alive \(TCPServerWrap\)/);
});

test('an interrupted run says so and fails', async (t) => {
  const waits = (name: string) => `import { test } from 'node:test'; import { writeFileSync } from 'node:fs';
    test('it waits', () => { writeFileSync('${name}', ''); return new Promise((done) => setTimeout(done, 1e8)); });`;
  const clone = makeFakeClone(t, { 'packages/a/one.test.ts': waits('one.txt'), 'bench/two.test.ts': waits('two.txt') });
  const { child, ended } = startTask(t, clone, 'test');
  // With a single processor there is one process, and it comes to one of the files only.
  const ready = ['one.txt', 'two.txt'].slice(-Math.min(2, availableParallelism()));
  await until(() => ready.every((name) => existsSync(join(clone.root, name))));
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  assert.equal(stdout.match(/The run was interrupted by SIGINT\./g)?.length, 1);
  assert.match(stdout.split('\n').at(-2) ?? '', /^2 passed, \d failed$/);
  assert.equal(code, 1);
});

test('a filter chooses files by a part of their path, and one that fits nothing is refused', async (t) => {
  const clone = makeFakeClone(t, { 'packages/a/one.test.ts': passing, 'packages/b/two.slow.test.ts': failing });
  const files = (slow: boolean, ...filters: string[]) => findTestFiles(clone.root, { slow, filters });
  assert.deepEqual(files(true), ['packages/a/one.test.ts', 'packages/b/two.slow.test.ts']);
  assert.deepEqual(files(false), ['packages/a/one.test.ts']);
  assert.deepEqual(files(true, './packages/b'), ['packages/b/two.slow.test.ts']);
  assert.deepEqual(files(true, join(clone.root, 'packages/a')), ['packages/a/one.test.ts']);
  const { code, stdout, stderr } = await startTask(t, clone, 'test', 'packages/none').ended;
  assert.match(stderr, /No test file has a path that contains packages\/none\./);
  assert.equal(stdout.split('\n').at(-2), '2 passed, 1 failed');
  assert.equal(code, 1);
});
