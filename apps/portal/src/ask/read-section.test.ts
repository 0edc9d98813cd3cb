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
  'Each [plan](/x) has limits.',
  'They apply **per key**.',
  '',
  '![A picture](/x.png)',
  '',
  '1. Choose one.',
  '- Or none',
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
  assert.deepEqual(readSection(page, 'Per plan'), {
    prose: ['Each plan has limits. They apply per key.', '1. Choose one.', 'Or none'],
    shown: [
      {
        kind: 'table',
        head: ['Plan', 'Calls'],
        rows: [
          ['Free', '10 a second'],
          ['Pro | Max', '15'],
        ],
      },
      { kind: 'code', language: 'bash', code: '# not a heading\ncurl "$URL"' },
    ],
  });
});

test('the beginning of a page is read up to its first heading', () => {
  assert.deepEqual(readSection(page, undefined), { prose: ['Some words.'], shown: [] });
});

test('a section that is not there is empty', () => {
  assert.deepEqual(readSection(page, 'Nowhere'), { prose: [], shown: [] });
});
