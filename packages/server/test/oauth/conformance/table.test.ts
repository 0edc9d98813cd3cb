import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = import.meta.dirname;
const page = readFileSync(join(folder, '../../../../../docs/openid-conformance.md'), 'utf8');
const suites = readdirSync(folder).filter((name) => name.endsWith('.suite.ts'));

/** Line breaks and indentation do not matter. */
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8').replace(/\s+/g, ' ');

interface Row {
  suite: string;
  module: string;
  sentence: string;
}

const rows: Row[] = page.split(/^## /m).flatMap((section) => {
  const suite = /conformance\/([\w-]+\.suite\.ts)`/.exec(section)?.[1];
  if (suite === undefined) return [];
  return [...section.matchAll(/^\| `([A-Za-z0-9_-]+)` \| [^|]+ \| (.+) \|$/gm)].map(
    ([, module = '', sentence = '']) => ({
      suite,
      module,
      sentence,
    }),
  );
});

test('every module in the table of conformance has the test that the table names', () => {
  assert.ok(rows.length >= 54, `${rows.length} rows`);
  for (const { suite, module, sentence } of rows) {
    const text = textOf(suite);
    const isThere = text.includes(`${module}: ${sentence}`) || text.includes(`'${module}', '${sentence}'`);
    assert.ok(isThere, `${suite} has no test “${module}: ${sentence}”`);
  }
});

test('every test that is named after a module is in the table, once', () => {
  const listed = rows.map(({ module }) => module);
  assert.equal(new Set(listed).size, listed.length);
  const named = suites.flatMap((suite) =>
    [...textOf(suite).matchAll(/['`]((?:oidcc|fapi2)-[A-Za-z0-9_-]+)(?:: |', ['`])/g)].map(([, module = '']) => module),
  );
  assert.deepEqual(new Set(named), new Set(listed));
});
