import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import { parsePhrases, readPhrases } from './read-phrases.ts';

test('a block is an address and what readers ask there, commands included', () => {
  assert.deepEqual(parsePhrases('/docs/a\nfirst question\n/start does nothing\n\n/\nhome\n'), [
    ['/docs/a', ['first question', '/start does nothing']],
    ['/', ['home']],
  ]);
});

test('a block without an address and a question that stands twice are refused', () => {
  assert.throws(() => parsePhrases('just a question\n'), /no address/);
  assert.throws(() => parsePhrases('/docs/a\nsame\nsame\n'), /twice/);
});

test('questions are as short as people type them', async () => {
  for (const [path, asked] of await readPhrases(join(portalFolder, 'search/phrases')))
    for (const question of asked) assert.ok(question.length <= 70, `${path}: ${question}`);
});
