import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { runTests } from './browser.ts';

const sample = await readFile(new URL('../../../samples/rules/latchkey.yaml', import.meta.url), 'utf8');

test('a page runs the tests of a file as the command does, and shows why', async () => {
  const run = await runTests('latchkey.yaml', sample);
  assert.ok('tests' in run);
  assert.deepEqual(
    run.tests.map(({ failures }) => failures),
    [[], [], [], [], []],
  );
  const [first] = run.tests;
  assert.ok(first !== undefined && first.line > 1);
  assert.match(JSON.stringify(first.roles), /at least \d+ \w+; found: \d+/);
});

test('what keeps a file from being used is named with its place, and a page cannot include other files', async () => {
  assert.deepEqual(await runTests('latchkey.yaml', 'version: 1\ncommunitys: []\n'), {
    problems: [
      {
        place: { file: 'latchkey.yaml', line: 2, column: 1 },
        message: 'There is no field "communitys" here. Did you mean "communities"?',
      },
    ],
  });
  const run = await runTests('latchkey.yaml', 'version: 1\ninclude: [other.yaml]\n');
  assert.ok('problems' in run);
  assert.match(run.problems[0]?.message ?? '', /Run “latchkey rules test” instead/);
  const nested = `version: 1\ncommunities: ${'['.repeat(20_000)}`;
  assert.ok('problems' in (await runTests('latchkey.yaml', nested)));
});
