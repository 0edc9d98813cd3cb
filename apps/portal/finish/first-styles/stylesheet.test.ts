import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { namesOf, readStylesheet, stylesFor } from './place-styles.ts';

const shown = (css: string, ...names: string[]) => stylesFor(readStylesheet(css), new Set(names));

describe('the first styles of a page', () => {
  test('are the rules whose classes, ids and tags it has, in their order', () => {
    const css = '.b{color:red}.a{color:blue}nav .a{top:0}#x>p{left:0}*{margin:0}';
    assert.equal(shown(css, '.a', '#x', 'p'), '.a{color:blue}#x>p{left:0}*{margin:0}');
    assert.equal(shown(css, 'nav', '.a', '.b'), '.b{color:red}.a{color:blue}nav .a{top:0}*{margin:0}');
  });

  test('leave out the selectors of a rule that match nothing', () => {
    assert.equal(shown('.a,.b,.c .a{top:0}', '.a'), '.a{top:0}');
  });

  test('cover both themes, every state and every screen width', () => {
    const css =
      '[data-theme=dark] .a{color:red}.a:hover{top:0}@media (width>=997px){.a{left:0}.b{left:1px}}@media (width<=9px){.b{top:0}}';
    assert.equal(shown(css, '.a'), '[data-theme=dark] .a{color:red}.a:hover{top:0}@media (width>=997px){.a{left:0}}');
  });

  test('leave out what is only for print', () => {
    assert.equal(
      shown('@media print{.a{top:0}}@keyframes k{0%{top:0}to{top:1px}}', '.a'),
      '@keyframes k{0%{top:0}to{top:1px}}',
    );
  });

  test('include only the custom properties that are used', () => {
    const css = ':root{--a:var(--b);--b:1px;--c:2px}[data-theme=dark]{--b:3px;--d:0}.x{top:var(--a)}.y{top:var(--c)}';
    assert.equal(shown(css, '.x'), ':root{--a:var(--b);--b:1px}[data-theme=dark]{--b:3px}.x{top:var(--a)}');
  });
});

describe('what a selector asks for', () => {
  for (const [selector, names] of [
    ['.menu__link--active:not(.sub)', ['.menu__link--active']],
    ['html[data-x=".no"] .a_B1:nth-child(2n):focus-visible', ['html', '.a_B1']],
    [':is(h1,h2) .hash::before', ['.hash']],
    ['.a:has(> .b:not(.c))~li', ['.a', 'li']],
    ['.md\\:wide', ['.md:wide']],
    ['::selection', []],
    ['*', []],
  ] as const)
    test(`${selector}: ${names.join(' ') || 'nothing'}`, () => assert.deepEqual(namesOf(selector), names));
});
