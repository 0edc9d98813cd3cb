import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@latchkey/test-kit';
import { type FakeClone, makeFakeClone, startTask, startTaskIn } from '../fake-clone.ts';
import { asOwnRun, lastLine, never, passing, usualLimits } from './own-run.ts';
import { processesOf } from './run-folder.ts';
import { runProcess } from './run-process.ts';
import { findTestFiles, type Tier, takeFileTurns } from './test-files.ts';

const failing = `import { test } from 'node:test'; import assert from 'node:assert/strict';
test('it adds', () => assert.equal(1 + 1, 3));`;
/** Returns the outcome of one file with this text. */
function outcomeOf(t: TestContext, text: string, limits = usualLimits) {
  const { root } = makeFakeClone(t, { 'packages/b/two.test.ts': text });
  return asOwnRun(() => runProcess({ root, paths: ['packages/b/two.test.ts'], signal: never, ...limits }));
}

describe('a test run', () => {
  test('ends with a line that counts types, lint and tests, and with exit code 0 when all passed', async (t) => {
    const { code, stdout } = await startTask(t, makeFakeClone(t, { 'packages/a/one.test.ts': passing }), 'test').ended;
    assert.match(stdout, /^Checks: Types, Lint\nTests: 1 file\n/);
    for (const check of ['Types', 'Lint']) assert.match(stdout, new RegExp(`^${check} … passed in .* s$`, 'm'));
    assert.match(stdout, /\nok +[\d.]+ s {2}packages\/a\/one\.test\.ts: 1 passed {2}\(1 of 1\)\n/);
    assert.equal(lastLine(stdout), '3 passed, 0 failed');
    assert.equal(code, 0);
  });

  test('shows a failing test with its title, place and difference, and ends with exit code 1', async (t) => {
    const clone = makeFakeClone(t, { 'packages/a/one.test.ts': passing, 'bench/two.test.ts': failing });
    const { code, stdout } = await startTask(t, clone, 'test').ended;
    assert.match(stdout, /FAILED bench\/two\.test\.ts:2\n {4}it adds\n/);
    assert.match(stdout, /2 !== 3/);
    assert.match(stdout, /at .*bench\/two\.test\.ts:2:/);
    assert.equal(lastLine(stdout), '3 passed, 1 failed');
    assert.equal(code, 1);
  });

  test('shows a type error and counts it as one failure', async (t) => {
    const clone = makeFakeClone(t, {
      'packages/a/one.test.ts': passing,
      'npm-does.mjs': `import { writeFileSync } from 'node:fs';
        writeFileSync('node_modules/typescript/bin/tsc', 'console.log("a.ts(1,1): error TS1"); process.exit(2)');`,
    });
    const { code, stdout } = await startTask(t, clone, 'test').ended;
    assert.match(stdout, /^Types … failed in .*\na\.ts\(1,1\): error TS1\n/m);
    assert.equal(lastLine(stdout), '2 passed, 1 failed');
    assert.equal(code, 1);
  });

  test('of chosen files is those alone, and a filter that fits nothing is refused', async (t) => {
    const clone = makeFakeClone(t, { 'packages/a/one.test.ts': passing, 'packages/b/two.slow.test.ts': failing });
    const chosen = await startTask(t, clone, 'test', 'packages/a').ended;
    assert.match(chosen.stdout, /^Tests: 1 file\nok /);
    assert.equal(lastLine(chosen.stdout), '1 passed, 0 failed');
    const { code, stdout, stderr } = await startTask(t, clone, 'test', 'packages/none').ended;
    assert.match(stderr, /No test file has a path that contains packages\/none\./);
    assert.equal(lastLine(stdout), '0 passed, 1 failed');
    assert.equal(code, 1);
  });

  test('of one test is chosen by a pattern, and an unknown flag is refused with those there are', async (t) => {
    const two = `${passing} test('it fails', () => { throw new Error('no'); });`;
    const clone = makeFakeClone(t, { 'packages/a/one.test.ts': two });
    assert.equal(
      lastLine((await startTask(t, clone, 'test', 'one', '--name=works').ended).stdout),
      '1 passed, 0 failed',
    );
    const { code, stderr } = await startTask(t, clone, 'test', '--only').ended;
    assert.equal(code, 1);
    assert.equal(stderr, 'Unknown flag --only. Use --name=PATTERN, --seed=TEXT or --turn=NUMBER.\n');
  });

  test('runs what a file left behind into nothing: no process and no folder stays, even after kill -9', async (t) => {
    const leaves = `import { spawn } from 'node:child_process'; import { mkdtempSync, writeFileSync } from 'node:fs';
      import { tmpdir } from 'node:os'; import { join } from 'node:path'; import { test } from 'node:test';
      test('it leaves', () => {
        mkdtempSync(join(tmpdir(), 'left-'));
        spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { detached: true, stdio: 'ignore' }).unref();
        writeFileSync('run.txt', process.env.LATCHKEY_TEST_RUN);
        if (process.env.STAY) return new Promise((done) => setTimeout(done, 1e8));
      });`;
    const ends: Record<string, (task: ReturnType<typeof startTask>) => unknown> = {
      'by itself': () => undefined,
      SIGINT: ({ child }) => child.kill('SIGINT'),
      SIGKILL: ({ child }) => child.kill('SIGKILL'),
    };
    for (const [how, end] of Object.entries(ends)) {
      const clone = makeFakeClone(t, { 'packages/a/one.test.ts': leaves });
      const temporary = join(clone.root, 'tmp');
      mkdirSync(temporary);
      const environment = { TMPDIR: temporary, ...(how !== 'by itself' && { STAY: 'yes' }) };
      const task = startTaskIn(t, clone, environment, 'test', 'one');
      const file = join(clone.root, 'run.txt');
      const run = await until(`the test ran (${how})`, () => existsSync(file) && readFileSync(file, 'utf8'));
      assert.match(run, /^latchkey-tests-/);
      end(task);
      await until(`nothing of the run is left (${how})`, () => {
        return processesOf(run).length === 0 && readdirSync(temporary).length === 0;
      });
      const { code } = await task.ended;
      assert.equal(code, how === 'by itself' ? 0 : how === 'SIGINT' ? 1 : null);
    }
  });

  test('that is killed while types are checked leaves nothing either', async (t) => {
    const hangs = `require('node:fs').writeFileSync('run.txt', process.env.LATCHKEY_TEST_RUN); setInterval(() => {}, 1e6);`;
    const clone = makeFakeClone(t, {
      'packages/a/one.test.ts': passing,
      'npm-does.mjs': `import { writeFileSync } from 'node:fs';
        writeFileSync('node_modules/typescript/package.json', '{"type":"commonjs"}');
        writeFileSync('node_modules/typescript/bin/tsc', ${JSON.stringify(hangs)});`,
    });
    const { child } = startTask(t, clone, 'test');
    const file = join(clone.root, 'run.txt');
    const run = await until('types are checked', () => existsSync(file) && readFileSync(file, 'utf8'));
    child.kill('SIGKILL');
    await until('nothing of the run is left', () => processesOf(run).length === 0);
  });

  test('that is interrupted says so and fails', async (t) => {
    const waits = `import { test } from 'node:test'; import { writeFileSync } from 'node:fs';
      test('it waits', () => { writeFileSync('waits.txt', ''); return new Promise((done) => setTimeout(done, 1e8)); });`;
    const clone = makeFakeClone(t, { 'packages/a/one.test.ts': waits });
    const { child, ended } = startTask(t, clone, 'test');
    await until('the test waits', () => existsSync(join(clone.root, 'waits.txt')));
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    assert.match(stdout, /FAILED packages\/a\/one\.test\.ts\n +the file\n +It was stopped/);
    assert.equal(stdout.match(/The run was interrupted by SIGINT; 0 files were not run\./g)?.length, 1);
    assert.equal(lastLine(stdout), '2 passed, 2 failed');
    assert.equal(code, 1);
  });

  test('works in a folder with spaces, with a home that cannot be written', async (t) => {
    const clone = makeFakeClone(t, {
      'packages/a b/one.test.ts': `import { test } from 'node:test'; import { homedir } from 'node:os';
        import { writeFileSync } from 'node:fs';
        test('it writes', () => writeFileSync(homedir() + '/x', ''));`,
    });
    const { stdout } = await startTaskIn(t, clone, { HOME: '/nowhere' }, 'test').ended;
    assert.match(stdout, /packages\/a b\/one\.test\.ts: 1 passed/);
    assert.equal(lastLine(stdout), '3 passed, 0 failed');
  });
});

describe('the browser', () => {
  const looks = `import { describe, test } from 'node:test'; import assert from 'node:assert/strict';
    const skip = process.env.LATCHKEY_CHROMIUM === '' && 'no Chromium';
    test('it is told', { skip }, () => assert.equal(process.env.LATCHKEY_CHROMIUM, process.cwd() + '/fake-chromium'));
    describe('a suite', { skip }, () => test('in it', () => {}));`;

  test('is named to the tests', async (t) => {
    const { code, stdout } = await startTask(t, makeFakeClone(t, { 'apps/a/one.slow.test.ts': looks }), 'test').ended;
    assert.equal(lastLine(stdout), '4 passed, 0 failed');
    assert.equal(code, 0);
  });

  test('that is missing keeps its own tests from running, and they do not count as passed', async (t) => {
    const clone = makeFakeClone(t, { 'apps/a/one.slow.test.ts': looks, 'packages/a/two.test.ts': passing });
    const { code, stdout, stderr } = await startTaskIn(t, clone, { LATCHKEY_CHROMIUM: '/nowhere' }, 'test').ended;
    assert.match(stderr, /need a Chromium\. LATCHKEY_CHROMIUM is \/nowhere.* All other tests run without it\./);
    assert.match(stdout, /apps\/a\/one\.slow\.test\.ts: 0 passed, 2 not run/);
    assert.match(stdout, /\nNot run: 2 \(no Chromium\)\.\n/);
    assert.equal(lastLine(stdout), '3 passed, 0 failed');
    assert.equal(code, 0);
  });

  test('is not looked for where no slow file is run, since only those may open it', async (t) => {
    const clone = makeFakeClone(t, { 'apps/a/one.slow.test.ts': looks, 'packages/a/two.test.ts': passing });
    const { code, stderr } = await startTaskIn(t, clone, { LATCHKEY_CHROMIUM: '/nowhere' }, 'check').ended;
    assert.doesNotMatch(stderr, /Chromium/);
    assert.equal(code, 0);
  });
});

describe('a test file', () => {
  test('counts its tests, and those that were not run apart', async (t) => {
    const { passed, skipped, failures } = await outcomeOf(
      t,
      `import { describe, test } from 'node:test';
       describe('a suite', () => { test('one', () => {}); test('two', () => { throw new Error('no'); }); });
       test('left out', { skip: 'no reason' }, () => {});`,
    );
    assert.deepEqual({ passed, skipped, failed: failures.length }, { passed: 1, skipped: ['no reason'], failed: 1 });
    assert.equal(failures[0]?.title, 'a suite › two');
  });

  test('fails for what Node does not count as a test', async (t) => {
    const start = `import { after, test } from 'node:test'; test('fine', () => {});`;
    const textOf = async (text: string) =>
      (await outcomeOf(t, text)).failures.map((failure) => failure.text).join('\n');
    assert.match(await textOf(`${start} after(() => { throw new Error('cannot close'); });`), /cannot close/);
    assert.match(await textOf(`${start} throw new Error('thrown while loading');`), /\| Error: thrown while loading/);
    assert.match(
      await textOf(`${start} test('late', () => { setImmediate(() => { throw new Error('too late'); }); });`),
      /too late/,
    );
    assert.match(await textOf('export {};'), /ended before its tests had, or it declares none/);
    assert.match(await textOf(`${start} test('leaves', () => process.exit(0));`), /ended before its tests had/);
    assert.match(
      await textOf(`${start} test('dies', () => process.kill(process.pid, 'SIGKILL'));`),
      /Its process was killed by SIGKILL/,
    );
  });

  test('with a test that hangs is stopped and tells its name, and what passed before counts', async (t) => {
    const hangs = `${passing} test('it waits for ever', () => new Promise((done) => setTimeout(done, 1e8)));`;
    const { passed, failures } = await outcomeOf(t, hangs, { silenceLimitMs: 5_000 });
    assert.equal(passed, 1);
    assert.match(failures[0]?.text ?? '', /said nothing for 5\.0 s while this was running: it waits for ever/);
  });

  test('gets no time limit from Node, which would count the parts of a test together', async (t) => {
    const looks = `import { test } from 'node:test'; import assert from 'node:assert/strict';
      test('no limit', () => assert.ok(!process.execArgv.some((flag) => /^--test-timeout=[1-9]/.test(flag))));`;
    const { passed, failures } = await outcomeOf(t, looks);
    assert.deepEqual([failures, passed], [[], 1]);
  });

  test('that says nothing any more is stopped: busy for ever, or kept alive by what it left open', async (t) => {
    const limits = { silenceLimitMs: 5_000 };
    const spins = await outcomeOf(t, `${passing} test('it spins', () => { for (;;); });`, limits);
    assert.match(spins.failures[0]?.text ?? '', /^It was stopped because it had said nothing for 5\.0 s/);
    const leaks = `${passing} import { createServer } from 'node:net'; createServer().listen(0);`;
    const { passed, failures } = await outcomeOf(t, leaks, limits);
    assert.equal(passed, 1);
    assert.equal(failures[0]?.text, 'It was stopped because it had said nothing for 5.0 s, after its last test.');
  });
});

describe('test files', () => {
  const files = { 'packages/a/one.test.ts': passing, 'packages/b/two.slow.test.ts': `${passing} // volume(1, 2)` };
  const find = ({ root }: FakeClone, tier: Tier, ...filters: string[]) => findTestFiles(root, tier, filters);

  test('are found by tier and by a part of their path, the slow ones first', (t) => {
    const clone = makeFakeClone(t, files);
    assert.deepEqual(find(clone, 'test'), ['packages/b/two.slow.test.ts', 'packages/a/one.test.ts']);
    assert.deepEqual(find(clone, 'check'), ['packages/a/one.test.ts']);
    assert.deepEqual(find(clone, 'deep'), ['packages/b/two.slow.test.ts']);
    const suited = makeFakeClone(t, {
      'packages/a/one.test.ts': `import { suite } from './all/one.suite.ts';\n${passing}`,
      'packages/a/all/one.suite.ts': 'export const suite = () => volume(1, 2);',
      'packages/a/two.test.ts': passing,
    });
    assert.deepEqual(find(suited, 'deep'), ['packages/a/one.test.ts'], 'a suite counts for the file that runs it');
    assert.deepEqual(find(clone, 'test', './packages/b'), ['packages/b/two.slow.test.ts']);
    assert.deepEqual(find(clone, 'test', join(clone.root, 'packages/a')), ['packages/a/one.test.ts']);
  });

  test('of the deep run get the deep volume and a seed, which is printed and can be given', async (t) => {
    const tells = `import { test } from 'node:test'; // volume(1, 2)
      test('it tells', (t) => t.diagnostic([process.env.LATCHKEY_TEST_VOLUME, process.env.LATCHKEY_TEST_SEED].join()));`;
    const clone = makeFakeClone(t, { 'packages/a/one.test.ts': tells, 'packages/a/two.test.ts': passing });
    const { code, stdout } = await startTask(t, clone, 'test:deep', 'packages', '--seed=abc').ended;
    assert.equal(code, 0);
    assert.match(stdout, /Seed: abc\. To repeat this run: npm run test:deep -- --seed=abc\n/);
    assert.match(stdout, /\n +deep,abc\n/);
    assert.equal(lastLine(stdout), '1 passed, 0 failed');
    const drawn = await startTask(t, clone, 'test:deep', 'packages').ended;
    assert.match(drawn.stdout, /Seed: ([0-9a-f]{8})\. [\s\S]*\n +deep,\1\n/);
  });
});

describe('suites that take turns', () => {
  const kit = JSON.stringify(fileURLToPath(new URL('../../packages/test-kit/src/index.ts', import.meta.url)));
  const three = `import { takeTurns } from ${kit}; import { writeFileSync } from 'node:fs';
    const turns = takeTurns('the suite', 3);
    for (const n of [1, 2, 3, 4]) turns.test('part ' + n, () => writeFileSync('part-' + n, ''));`;
  const files = { 'packages/a/one.test.ts': three, 'packages/a/two.test.ts': passing };
  const played = ({ root }: FakeClone) => readdirSync(root).filter((name) => name.startsWith('part-'));

  test('run one share in a run over all files, which says what it left out and how to repeat it', async (t) => {
    const clones = [];
    for (const turn of [0, 1, 2]) {
      const clone = makeFakeClone(t, files);
      clones.push(clone);
      const { code, stdout } = await startTask(t, clone, 'test', `--turn=${turn}`).ended;
      const left = 4 - played(clone).length;
      assert.ok(left === 2 || left === 3);
      assert.match(stdout, new RegExp(`\\nNot run in turn ${turn}: ${left} files, suites or tests `));
      assert.match(stdout, new RegExp(`\\n  share [123] of 3 of the suite, ${left} not run\\n`));
      assert.match(stdout, new RegExp(`npm test -- --turn=${turn}\\.`));
      assert.equal(lastLine(stdout), `${7 - left} passed, 0 failed`);
      assert.equal(code, 0);
    }
    assert.deepEqual(clones.flatMap(played).sort(), ['part-1', 'part-2', 'part-3', 'part-4']);
  });

  test('can be files, of which every turn has some and consecutive turns have all', () => {
    const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `apps/portal/test/${name}.slow.test.ts`);
    const turns = [4, 5, 6, 7, 8, 9].map((turn) => takeFileTurns(['apps/portal/a.test.ts', ...files], turn));
    for (const turn of turns) {
      assert.equal(turn.files[0], 'apps/portal/a.test.ts');
      const [[reason, count] = []] = turn.left;
      assert.match(reason ?? '', /^share [1-6] of 6 of the files of the portal in a browser$/);
      assert.ok(turn.files.length > 1 && turn.files.length - 1 + (count ?? 0) === files.length);
    }
    assert.deepEqual(turns.flatMap((turn) => turn.files.slice(1)).sort(), files);
  });

  test('run whole where files are chosen, and in the deep run', async (t) => {
    for (const words of [
      ['test', 'packages/a'],
      ['test', '--name=part'],
      ['test:deep', 'packages'],
    ]) {
      const clone = makeFakeClone(t, files);
      const { stdout } = await startTask(t, clone, ...words).ended;
      assert.equal(played(clone).length, 4, words.join(' '));
      assert.doesNotMatch(stdout, /Not run/);
    }
  });

  test('take a turn at random where none is named, and refuse one that is no number', async (t) => {
    const { stdout } = await startTask(t, makeFakeClone(t, files), 'test').ended;
    assert.match(stdout, /npm test -- --turn=\d+\./);
    const { stderr } = await startTask(t, makeFakeClone(t, files), 'test', '--turn=next').ended;
    assert.match(stderr, /--turn is a whole number below a million, not next\./);
  });
});

test('the sweep leaves other processes and other runs alone', async (t) => {
  const start = (run: string) => {
    const env = { ...process.env, LATCHKEY_TEST_RUN: run };
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { env, stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    return child.pid ?? 0;
  };
  const names = ['latchkey-tests-aaaaaa', 'latchkey-tests-bbbbbb'];
  const [one = 0, other = 0] = names.map(start);
  await until('both are there', () => names.every((name) => processesOf(name).length > 0));
  assert.deepEqual(
    names.map((name) => processesOf(name).map(({ pid }) => pid)),
    [[one], [other]],
  );
});
