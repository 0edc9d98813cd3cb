import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromLines, toLines } from './lines.ts';

test('entries are read one per line, however they were pasted', () => {
  assert.deepEqual(toLines(' https://a.example \r\n\n\thttps://b.example'), ['https://a.example', 'https://b.example']);
  assert.deepEqual(toLines('  \n '), []);
  assert.equal(fromLines(toLines('a\n b ')), 'a\nb');
  assert.equal(fromLines(undefined), '');
});
