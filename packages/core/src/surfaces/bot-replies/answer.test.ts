import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, wordsOf } from './answer.ts';

const link = {
  label: 'Open in the console',
  url: 'https://latchkey.example/console/communities/DIS%23COMM%231/role-changes/p1',
};

test('the link is below the text', () => {
  assert.equal(
    wordsOf(answer('One change waits.', [], link), 200),
    `One change waits.\nOpen in the console: ${link.url}`,
  );
  assert.equal(wordsOf(answer('Nothing.'), 200), 'Nothing.');
});

test('long text is truncated, and the link is not', () => {
  for (const longest of [120, 200, 2000]) {
    const words = wordsOf(answer('x'.repeat(5_000), [], link), longest);
    assert.equal(words.length, longest);
    assert.ok(words.endsWith(`…\nOpen in the console: ${link.url}`));
  }
});
