import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSection } from './read-section.ts';

const page = [
  '# Limits',
  '',
  'Some words.',
  '',
  '## Per plan',
  '',
  '| Plan | Calls |',
  '|---|---:|',
  '| [Free](/x) | `10` a second |',
  '| Pro \\| Max | 15 |',
  '',
  '```bash',
  '# not a heading',
  'curl "$URL"',
  '```',
  '',
  '## Other',
  '',
  '| a |',
  '|---|',
].join('\n');

test('a table stays a table and code stays code, in the requested section', () => {
  assert.deepEqual(readSection(page, 'Per plan'), [
    {
      kind: 'table',
      head: ['Plan', 'Calls'],
      rows: [
        ['Free', '10 a second'],
        ['Pro | Max', '15'],
      ],
    },
    { kind: 'code', language: 'bash', code: '# not a heading\ncurl "$URL"' },
  ]);
});

test('a section without either, and one that is not there, show nothing', () => {
  assert.deepEqual(readSection(page, undefined), []);
  assert.deepEqual(readSection(page, 'Nowhere'), []);
});
