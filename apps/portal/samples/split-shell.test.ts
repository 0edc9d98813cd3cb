import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expand, ShellError, splitShell, type Word, wordText } from './split-shell.ts';

const variables = new Map([
  ['NAME', 'Ada'],
  ['ID', 'DIS#COMM#1'],
  ['WORDS', 'two words'],
]);

function wordsOf(text: string): string[][] {
  return splitShell(text).flatMap((line) =>
    'words' in line ? [line.words.map((word: Word) => expand(word, variables, line.line))] : [],
  );
}

test('quotes of both kinds, joined to each other, make one word', () => {
  assert.deepEqual(wordsOf(`-d '{"a": "'$NAME'"}'`), [['-d', '{"a": "Ada"}']]);
  assert.deepEqual(wordsOf(`-d '{"a": "'"$ID"'"}'`), [['-d', '{"a": "DIS#COMM#1"}']]);
  assert.deepEqual(wordsOf(String.raw`-d "{\"a\": \"$NAME\", \"b\": \"\$5 \n\"}"`), [
    ['-d', String.raw`{"a": "Ada", "b": "$5 \n"}`],
  ]);
  assert.deepEqual(wordsOf(`'$NAME' "" \${NAME}s`), [['$NAME', '', 'Adas']]);
});

test('a trailing backslash joins a line to the next, and each command knows its first line', () => {
  assert.deepEqual(wordsOf('curl -s \\\n  -X GET\n\ncurl "a\nb"'), [
    ['curl', '-s', '-X', 'GET'],
    ['curl', 'a\nb'],
  ]);
  assert.deepEqual(
    splitShell("# first\ncurl 'a\nb' \\\n  c # aside\n# expect 204\ncurl").map(({ line }) => line),
    [0, 3, 1, 4, 5],
  );
});

test('a hash begins a comment only where a word could begin', () => {
  assert.deepEqual(wordsOf('a#b # c'), [['a#b']]);
  assert.deepEqual(splitShell('# keep ID from .id'), [{ line: 0, comment: 'keep ID from .id' }]);
});

test('what a shell would treat as more than words is rejected', () => {
  for (const text of ['a | b', 'a; b', 'a &', 'a > b', 'a < b', 'a$(b)', '`a`', '"`a`"', 'a?b=1', 'a*', '(a)', 'a $'])
    assert.throws(() => splitShell(text), ShellError, text);
  assert.throws(() => splitShell("a\nb 'c"), { line: 1 });
  assert.throws(() => splitShell('a "c'), /never closed/);
});

test('a placeholder is only where a reader fills it in', () => {
  assert.deepEqual(splitShell('a <the id>', { hasPlaceholders: true }), [
    { line: 0, words: [[{ text: 'a' }], [{ text: '<the id>' }]] },
  ]);
  assert.throws(() => splitShell('a <the id>'), ShellError);
});

test('a variable that is not set, or that a shell would split, is rejected', () => {
  assert.throws(() => wordsOf('$OTHER'), /\$OTHER, which nothing has set/);
  assert.throws(() => wordsOf('a $WORDS'), /a shell would split/);
  assert.deepEqual(wordsOf('a "$WORDS"'), [['a', 'two words']]);
});

test('a here document is what curl reads by @-, with its variables', () => {
  const [line, comment] = splitShell('curl -d @- <<EOF\n{\n  "a": "$NAME"\n}\nEOF\n# after');
  assert.ok(line !== undefined && 'words' in line);
  assert.deepEqual(line.words.map(wordText), ['curl', '-d', '{\n  "a": "$NAME"\n}\n']);
  assert.deepEqual(comment, { line: 5, comment: 'after' });
  for (const broken of ['curl -d @- <<EOF\n{}', 'curl <<EOF\n{}\nEOF', 'curl -d @- <<EOF\n`a`\nEOF'])
    assert.throws(() => splitShell(broken), ShellError, broken);
});
