import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { editText } from './edit-text.ts';
import { policyFor, policyTag, removeStyles } from './policy.ts';
import { readTree } from './tree.ts';

const hashOf = (script: string) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
const directivesOf = (html: string) =>
  new Map(
    policyFor(readTree(html))
      .split('; ')
      .map((directive) => [directive.slice(0, directive.indexOf(' ')), directive.slice(directive.indexOf(' ') + 1)]),
  );

describe('the content security policy', () => {
  test('allows the inline scripts of the file, by their hashes', () => {
    const html = '<!doctype html><head><script>let a = "&amp;<b>"</script></head><body><script>b()\n</script>';
    assert.equal(directivesOf(html).get('script-src'), `'self' ${hashOf('let a = "&amp;<b>"')} ${hashOf('b()\n')}`);
  });

  test('lists no script that is a file or contains data, and each script once', () => {
    const html =
      '<script src=/a.js></script><script type="application/ld+json">{}</script><script>a()</script><script>a()</script>';
    assert.equal(directivesOf(html).get('script-src'), `'self' ${hashOf('a()')}`);
  });

  test('allows the styles that the build wrote into the file', () => {
    const policy = policyFor(readTree('<p>Text</p>'), 'p{color:red}');
    assert.ok(policy.includes(`; style-src 'self' ${hashOf('p{color:red}')}; `), policy);
  });

  test('allows nothing else', () => {
    const directives = directivesOf('<p>No script</p>');
    assert.equal(directives.get('default-src'), "'none'");
    assert.equal(directives.get('style-src'), "'self'");
    assert.equal(directives.get('base-uri'), "'none'");
    assert.equal([...directives.values()].join(' ').includes('unsafe'), false);
  });

  test('survives being an attribute', () => {
    const tree = readTree(policyTag(`a "b" & 'c'`));
    assert.match(
      JSON.stringify(tree, (key, value) => (key === 'parentNode' ? undefined : value)),
      /a \\"b\\" & 'c'/,
    );
  });
});

describe('inline styles', () => {
  test('the hidden sprite of the theme is hidden by an attribute', () => {
    const html = '<body><svg style="display: none;"><defs></defs></svg><p>Text</p>';
    const { edits, left } = removeStyles(readTree(html), html);
    assert.equal(editText(html, edits), '<body><svg display="none"><defs></defs></svg><p>Text</p>');
    assert.deepEqual(left, []);
  });

  test('any other is reported and left unchanged', () => {
    const html = '<body><p class=a style=color:red>Text</p><svg width=1 style="display:none"></svg>';
    const { edits, left } = removeStyles(readTree(html), html);
    assert.deepEqual(edits, []);
    assert.deepEqual(left, ['<p class=a style=color:red>', '<svg width=1 style="display:none">']);
  });
});

test('overlapping edits are rejected', () => {
  const edits = [
    { start: 0, end: 3, text: 'x' },
    { start: 2, end: 4, text: 'y' },
  ];
  assert.throws(() => editText('abcdef', edits), /overlap at character 2/);
});
