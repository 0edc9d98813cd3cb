import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTree } from '../tree.ts';
import { writeMarkdown } from './write-markdown.ts';

const url = 'https://docs.example.org/base/docs/page';

/** Returns the Markdown of a page's content, without the header. */
function emulatorOf(content: string): string {
  const markdown = writeMarkdown({ title: 'Title', description: '', url, content: readTree(content) });
  const above = `# Title\n\nPage: <${url}>\n`;
  assert.equal(markdown.startsWith(above), true);
  return markdown.slice(above.length).trim();
}

describe('the Markdown version of a page', () => {
  test('begins with its title, description and address', () => {
    const content = readTree('<main><header><h1>A *title*</h1></header><p>Text</p></main>');
    assert.equal(
      writeMarkdown({ title: 'A *title*', description: 'About.', url, content }),
      `# A \\*title\\*\n\n> About.\n\nPage: <${url}>\n\nText\n`,
    );
  });

  test('has absolute addresses', () => {
    assert.equal(
      emulatorOf(
        '<p>See <a href="/base/docs/other#part">this</a>, <a href=#here>here</a> and <a href=mailto:a@b.c>us</a>.',
      ),
      `See [this](https://docs.example.org/base/docs/other#part), [here](${url}#here) and [us](mailto:a@b.c).`,
    );
  });

  test('shows a screenshot once, although the page has one for each theme', () => {
    const picture = (theme: string) =>
      `<img data-shown-in=${theme} src=/base/img/screens/home.${theme}.webp alt="Home." width=10 height=10>`;
    assert.equal(
      emulatorOf(`<figure>${picture('light')}${picture('dark')}</figure>`),
      '![Home.](https://docs.example.org/base/img/screens/home.light.webp)',
    );
  });

  test('keeps the name of a tag apart from how often it is used', () => {
    assert.equal(
      emulatorOf('<ul><li><a rel=tag href=/base/tags/api>API<span>3</span></a></ul>'),
      '- [API (3)](https://docs.example.org/base/tags/api)',
    );
  });

  test('leaves out what is only useful on screen', () => {
    const kept = '<h2 id=a>A heading<a class=hash-link href=#a>\u200b</a></h2><p>Kept.</p>';
    const gone = [
      '<nav>Gone</nav>',
      '<button>Gone</button>',
      '<div class="x table-of-contents"><ul><li>Gone</ul></div>',
      '<p aria-live=polite>Gone</p>',
      '<p hidden>Gone</p>',
      '<span aria-hidden=true>Gone</span>',
      '<script>gone()</script>',
    ];
    assert.equal(emulatorOf(`${gone.join('')}${kept}${gone.toReversed().join('')}`), '## A heading\n\nKept.');
  });

  test('keeps code as it is, with its language', () => {
    const code =
      '<pre class=x><code class="language-ts"><span class="token keyword">const</span> a = `&lt;*`;\n  b();</code></pre>';
    assert.equal(
      emulatorOf(
        `<ol><li><p>Do:</p><figure><figcaption>a.ts</figcaption>${code}<button>Copy</button></figure></li></ol>`,
      ),
      '1. Do:\n\n   a.ts\n\n   ```ts\n   const a = `<*`;\n     b();\n   ```',
    );
  });

  test('has every tab under its label', () => {
    const tabs =
      '<div class=tabs-container><ul role=tablist><li role=tab>curl<li role=tab>fetch</ul>' +
      '<div><div role=tabpanel><p>One</p></div><div role=tabpanel hidden><p>Two</p></div></div></div>';
    assert.equal(emulatorOf(tabs), '**curl**\n\nOne\n\n**fetch**\n\nTwo');
  });

  test('keeps a table with a header, even if cells contain blocks and pipes', () => {
    const table =
      '<table><thead><tr><th>Name<th>Meaning</thead><tbody><tr><td><code>a|b</code><td><p>One,</p><p>two</p></tbody></table>';
    assert.equal(emulatorOf(table), '| Name | Meaning |\n| - | - |\n| `a\\|b` | One, two |');
  });

  test('turns a table of fields into a nested list', () => {
    const row = (depth: number, name: string, type: string, text: string) =>
      `<tr><th scope=row data-depth=${depth}><a href=#${name}>${name}</a></th><td>${type}<strong> required</strong><td>${text}`;
    assert.equal(
      emulatorOf(
        `<table><tbody>${row(0, 'rules', 'object', 'All.')}${row(1, 'id', 'string', '')}${row(0, 'last', 'number', 'End.')}</table>`,
      ),
      '- **rules**: object **required**. All.\n  - **id**: string **required**\n- **last**: number **required**. End.',
    );
  });

  test('contains the alternative text of images, once', () => {
    const picture =
      '<figure><div><svg role=img><title>How it goes</title><desc>A to B: hello.</desc><text>A</text></svg></div><figcaption>How it goes</figcaption></figure>';
    assert.equal(emulatorOf(picture), '*Picture: How it goes. A to B: hello.*');
    assert.equal(emulatorOf('<svg viewBox="0 0 1 1"><path d="M0 0"/></svg><p>Text <svg><path/></svg></p>'), 'Text');
  });

  test('quotes an admonition under its title', () => {
    const note =
      '<div class="theme-admonition theme-admonition-note x"><div><span><svg></svg></span>Mind this</div><div><p>It is so.</p></div></div>';
    assert.equal(emulatorOf(note), '> **Mind this**\n>\n> It is so.');
  });

  test('turns a card into a link, and terms into lines', () => {
    assert.equal(
      emulatorOf('<article><a class=card href=/x><h2>📄️ Card</h2><p>About it.</p></a></article>'),
      '[Card](https://docs.example.org/x)\n\nAbout it.',
    );
    assert.equal(
      emulatorOf('<dl><div><dt>Term <code>t</code></dt><dd>Its meaning.</dd></div><div><dt>Other<dd>More</div></dl>'),
      '- **Term `t`**: Its meaning.\n- **Other**: More',
    );
  });
});
