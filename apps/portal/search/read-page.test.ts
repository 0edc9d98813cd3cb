import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage } from './build-index.ts';

const head = `<!doctype html><html lang=en><head><title>Voting | Latchkey</title><style>h2{color:red}</style>
<meta name=docusaurus_locale content=en><meta name="docusaurus_tag" content="docs-dao-current">
<meta data-rh=true name=description content="Who votes &amp; how."><meta name=keywords content="ballot,proxy vote"></head><body><nav>Menu</nav>`;

test('a page is cut at its headings and keeps what a reader sees of it', () => {
  const page = readPage(
    `${head}<main><nav class="theme-doc-breadcrumbs breadcrumbs_x" aria-label=Breadcrumbs><ul><li><a href=/>
    <svg><path/></svg></a><li><span>Governance</span><li><span>Voting</span></ul></nav>
    <div class="tocCollapsible_ETCw theme-doc-toc-mobile"><button>On this page</button></div>
    <header><h1>Voting</h1></header><p>Members <b>vote</b>.<p>So do delegates.
    <h2 class=anchor id=who>Who can vote<a href=#who class=hash-link aria-label="Link">&#8203;</a></h2>
    <ul><li>Holders<li>Delegates &lt;3</ul><pre><code>vote()</code></pre><script>if (1 < 2) "<p>no"</script>
    <h3 id=how>How</h3><table><td>one<td>two</table>
    <h4 id=detail>Detail</h4>More.</main><footer>Copyright</footer>`,
    '/dao/voting',
  );
  assert.deepEqual(page, {
    kind: 'page',
    path: '/dao/voting',
    title: 'Voting',
    description: 'Who votes & how.',
    keywords: ['ballot', 'proxy vote'],
    crumbs: ['Governance'],
    language: 'en',
    tag: 'docs-dao-current',
    sections: [
      { text: 'Members vote. So do delegates.' },
      { heading: 'Who can vote', anchor: 'who', text: 'Holders Delegates <3' },
      { heading: 'How', anchor: 'how', text: 'one two Detail More.' },
    ],
  });
});

test('a page without a title is left out', () => {
  assert.equal(readPage(`${head}<main><p>Something</main>`, '/x'), undefined);
});

test('a page outside all docs belongs to every audience', () => {
  assert.equal(readPage('<main><h1>Hello</h1>World</main>', '/blog/hello')?.tag, 'default');
});
