import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitWords, termsOf } from '@latchkey/server/docs-search';
import { markWords, takeSnippet } from './highlight.ts';

const terms = (text: string) => new Set(termsOf(splitWords(text)));
const textOf = (segments: { text: string }[]) => segments.map(({ text }) => text).join('');

test('every form of a word that was found is marked, and nothing is lost', () => {
  const segments = markWords('Verified wallets verify.', terms('verify wallet'));
  assert.equal(textOf(segments), 'Verified wallets verify.');
  assert.deepEqual(
    segments.filter(({ isMatch }) => isMatch).map(({ text }) => text),
    ['Verified', 'wallets', 'verify'],
  );
});

test('a snippet is the part of a long text that matches most of the query', () => {
  const filler = 'Nothing to see here at all. '.repeat(20);
  const snippet = takeSnippet(`${filler}A guest pass opens a role. ${filler}`, terms('guest role'), 60);
  assert.match(textOf(snippet), /^… A guest pass opens a role\. .* …$/);
  assert.ok(textOf(snippet).length <= 66);
});

test('a short text is shown in full', () => {
  assert.equal(textOf(takeSnippet('Short & <b>plain</b>.', terms('plain'), 60)), 'Short & <b>plain</b>.');
  assert.deepEqual(takeSnippet('', terms('plain'), 60), []);
});
