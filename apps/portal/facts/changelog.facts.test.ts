import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { listChangelog, readChangelog } from './changelog.facts.ts';

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

test('a file of the repository that ends an entry is left out', () => {
  const text = ['## 1.0.0', 'Added', '- An image: [docs/a.md](docs/a.md).', '- Imports ([docs/b.md](docs/b.md#c)).'];
  assert.deepEqual(
    readChangelog(text.join('\n')).map(([, , change]) => change),
    ['An image.', 'Imports.'],
  );
});

test('entries are listed below their version and kind', () => {
  const text = ['## 2.0.0', 'Added', '- One.', '- Two.', 'Fixed', '- Three.'].join('\n');
  assert.deepEqual(listChangelog(text).lists, [
    { title: '2.0.0: added', items: ['One.', 'Two.'] },
    { title: '2.0.0: fixed', items: ['Three.'] },
  ]);
});
