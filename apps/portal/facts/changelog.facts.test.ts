import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readChangelog } from './changelog.facts.ts';

test('an entry has its version and kind, on one line, without links into the repository', () => {
  const text = [
    '# Changelog',
    '- no entry',
    '## 2.0.0',
    'Added',
    '',
    '- Rules: [docs/rules.md](docs/rules.md), and',
    '  [a page](https://example.org).',
    'Fixed',
    '- It.',
    '## 1.0.0',
    'Added',
    '- All.',
  ].join('\n');
  assert.deepEqual(readChangelog(text), [
    ['2.0.0', 'Added', 'Rules: docs/rules.md, and [a page](https://example.org).'],
    ['2.0.0', 'Fixed', 'It.'],
    ['1.0.0', 'Added', 'All.'],
  ]);
});

test('every entry of the changelog is read', () => {
  const text = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  assert.equal(readChangelog(text).length, text.match(/^- /gm)?.length);
});
