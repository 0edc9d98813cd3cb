import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { makeFakeClone, startTask } from '../fake-clone.ts';
import { asOwnRun, lastLine, never, passing, usualLimits } from './own-run.ts';
import { runProcess } from './run-process.ts';
import { findTestFiles, groupTestFiles } from './test-files.ts';

/** Returns the outcome of files with these texts in one process: how many tests passed in each, and the failure messages. */
async function outcomeOf(t: TestContext, texts: Record<string, string>) {
  const paths = Object.keys(texts).filter((path) => path.endsWith('.test.ts'));
  const { root } = makeFakeClone(t, texts);
  const { files, failures } = await asOwnRun(() => runProcess({ root, paths, signal: never, ...usualLimits }));
  return {
    passed: [...files].map(([path, { passed }]) => [path, passed]),
    failed: failures.map(({ title, where, text }) => `${title} (${where}): ${text}`).join('\n'),
  };
}

describe('test files that share a process', () => {
  const tellsPid = `import { test } from 'node:test'; import { appendFileSync } from 'node:fs';
    test('it tells', () => appendFileSync('pids.txt', process.pid + '\\n'));`;

  test('are the quick neighbours of a package, but for one with a hook outside its suites', (t) => {
    const names = Array.from({ length: 22 }, (_, place) => `packages/a/${String.fromCharCode(97 + place)}.test.ts`);
    const { root } = makeFakeClone(t, {
      ...Object.fromEntries(names.map((name) => [name, passing])),
      'packages/a/b.test.ts': `import { after } from 'node:test';\nafter(() => {});\n${passing}`,
      'packages/a/z.slow.test.ts': passing,
      'packages/b/a.test.ts': passing,
    });
    const groups = groupTestFiles(root, findTestFiles(root, 'test', []));
    assert.deepEqual(
      groups.map((group) => group.length),
      [1, 20, 1, 1, 1],
    );
    assert.deepEqual(groups[0], ['packages/a/z.slow.test.ts']);
    assert.ok(!groups[1]?.includes('packages/a/b.test.ts'));
    assert.deepEqual(groups.at(-1), ['packages/b/a.test.ts']);
  });

  test('are slow ones only where they begin with the same costly start', (t) => {
    const opening = `import { openWorld } from '../harness/set-up-world.ts';\n${passing}`;
    const { root } = makeFakeClone(t, {
      ...Object.fromEntries([...'cdefghijk'].map((name) => [`packages/a/guards/${name}.slow.test.ts`, opening])),
      'packages/a/guards/b.slow.test.ts': passing,
      'packages/a/guards/a.slow.test.ts': opening.replace('../harness', '../../test/harness'),
      'packages/a/guards/l.test.ts': opening,
      'packages/b/a.slow.test.ts': `import { mutate } from '../../vectors/mutate.ts';\n${passing}`,
      'packages/b/b.slow.test.ts': `import {\n  mutate,\n} from '../../vectors/mutate.ts';\n${passing}`,
    });
    const groups = groupTestFiles(root, findTestFiles(root, 'test', []));
    assert.deepEqual(
      groups.map((group) => group.map((path) => path.replace('packages/', '').replace('.test.ts', ''))),
      [
        [...'acdefghij'].map((name) => `a/guards/${name}.slow`),
        ['a/guards/b.slow'],
        ['a/guards/k.slow'],
        ['b/a.slow', 'b/b.slow'],
        ['a/guards/l'],
      ],
    );
  });

  test('are counted and reported each by itself', async (t) => {
    const clone = makeFakeClone(t, {
      'packages/a/one.test.ts': `${tellsPid} test('it adds', () => { throw new Error('no'); });`,
      'packages/a/two.test.ts': `${tellsPid} test('it works too', () => {});`,
    });
    const { code, stdout } = await startTask(t, clone, 'test').ended;
    const [first, second] = readFileSync(join(clone.root, 'pids.txt'), 'utf8').trim().split('\n');
    assert.equal(first, second);
    assert.match(stdout, /\nFAILED +[\d.]+ s {2}2 files of packages\/a: 3 passed, 1 failed {2}\(2 of 2\)\n/);
    assert.match(stdout, /\n +[\d.]+ s +packages\/a\/one\.test\.ts: 1 passed\n/);
    assert.match(stdout, /FAILED packages\/a\/one\.test\.ts:\d+\n {4}it adds\n/);
    assert.match(stdout, /\n +[\d.]+ s +packages\/a\/two\.test\.ts: 2 passed\n/);
    assert.equal(lastLine(stdout), '5 passed, 1 failed');
    assert.equal(code, 1);
  });

  test('share what a module of theirs opens until the last of them has ended', async (t) => {
    const isOpen = `import assert from 'node:assert/strict'; import { test } from 'node:test'; import { server } from './shared.ts';
      test('it is open', () => assert.ok(server.listening));`;
    const { passed, failed } = await outcomeOf(t, {
      'packages/a/shared.ts': `import { createServer } from 'node:http'; import { after } from 'node:test';
        export const server = createServer(); after(() => server.close());
        await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));`,
      'packages/a/one.test.ts': isOpen,
      'packages/a/two.test.ts': isOpen,
    });
    assert.deepEqual(passed, [
      ['packages/a/one.test.ts', 1],
      ['packages/a/two.test.ts', 1],
    ]);
    assert.equal(failed, '');
  });

  test('name the one at fault when their process does not end well', async (t) => {
    const faults = {
      'kills it': [
        `${passing} test('it dies', () => process.kill(process.pid, 'SIGKILL'));`,
        /^the process of packages\/a\/one\.test\.ts, packages\/a\/two\.test\.ts .*killed by SIGKILL/,
      ],
      'ends it': [`${passing} test('it leaves', () => process.exit(0));`, /Its process ended before its tests had/],
      'does not load': [`import './missing.ts'; ${passing}`, /missing\.ts' imported from .*packages\/a\/two\.test\.ts/],
      'goes astray': [
        `${passing} test('late', () => { setImmediate(() => { throw new Error('too late'); }); });`,
        /late" at packages\/a\/two\.test\.ts:1:[\s\S]*too late/,
      ],
    } as const;
    for (const [fault, [text, says]] of Object.entries(faults)) {
      const texts = { 'packages/a/one.test.ts': passing, 'packages/a/two.test.ts': text };
      assert.match((await outcomeOf(t, texts)).failed, says, fault);
    }
  });

  test('do not include one that declares no test, which fails by itself', (t) => {
    const { root } = makeFakeClone(t, { 'packages/a/one.test.ts': passing, 'packages/a/two.test.ts': 'export {};' });
    assert.deepEqual(groupTestFiles(root, findTestFiles(root, 'test', [])), [
      ['packages/a/one.test.ts'],
      ['packages/a/two.test.ts'],
    ]);
  });
});
