import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine, type SearchContext } from './engine.ts';
import { type IndexedPage, maxQueryLength } from './index-file.ts';
import { sampleContext, sampleIndex } from './sample-index.ts';
import { readQuery } from './terms.ts';

function firstPage(): IndexedPage {
  const [page] = sampleIndex.pages;
  assert.ok(page);
  return page;
}

async function find(text: string, context: Partial<SearchContext> = {}): Promise<string[]> {
  const engine = await openEngine(sampleIndex);
  return engine
    .find(text, { ...sampleContext, ...context })
    .map(({ page, section }) => (section.anchor === undefined ? page.path : `${page.path}#${section.anchor}`));
}

test('a title is found by its words, by a prefix, and in spite of typos', async () => {
  for (const text of ['verify your wallet', 'verif', 'verfy walet', 'VERIFYING wallets', 'verify walelt'])
    assert.equal((await find(text))[0], '/help-docs/verify', text);
});

test('only a query that is still being typed may end within a word', async () => {
  const engine = await openEngine(sampleIndex);
  assert.ok(engine.find('hardw', sampleContext).length > 0);
  assert.deepEqual(engine.find('hardw', sampleContext, { isComplete: true }), []);
});

test('a heading is found at its anchor', async () => {
  assert.equal((await find('hardware device'))[0], '/help-docs/verify#hardware');
});

test('a page is found by its keywords, which count more than its text', async () => {
  const pages = ['lantern', 'walls'].map((keyword, index) => ({
    ...firstPage(),
    path: `/docs/${index}`,
    title: 'House',
    keywords: [keyword],
    sections: [{ text: 'Lanterns and walls.' }],
  }));
  const engine = await openEngine({ pages: [...sampleIndex.pages, ...pages] });
  assert.equal(engine.find('lanterns', sampleContext)[0]?.page.path, '/docs/0');
  assert.equal(engine.find('wall', sampleContext)[0]?.page.path, '/docs/1');
});

test('a page is listed once, however many of its sections were found', async () => {
  const paths = await find('sign wallet metamask');
  assert.equal(paths.filter((path) => path.startsWith('/help-docs/verify')).length, 1);
});

test('a page matches terms spread over its sections', async () => {
  const engine = await openEngine(sampleIndex);
  const [found] = engine.find('roles ledger device', sampleContext);
  assert.equal(found?.section.anchor, 'hardware');
  assert.deepEqual([found?.coverage, found?.pageCoverage], [2 / 3, 1]);
});

test('of similarly good results the one from the current docs comes first, and no other', async () => {
  const alike = ['docs', 'help-docs', 'dao'].map((folder) => ({
    ...firstPage(),
    path: `/${folder}/lanterns`,
    title: 'Lanterns',
    tag: `docs-${folder === 'docs' ? 'default' : folder}-current`,
  }));
  const engine = await openEngine({ pages: [...sampleIndex.pages, ...alike] });
  for (const { path, tag } of alike)
    assert.equal(engine.find('lanterns', { ...sampleContext, here: tag })[0]?.page.path, path);
  const fromDao = await find('verify your wallet', { here: 'docs-dao-current' });
  assert.equal(fromDao[0], '/help-docs/verify');
});

test('operations do not rank above explaining pages, unless one is searched for', async () => {
  for (const text of ['wallet', 'token', 'sign', 'wallet / token', 'cNFT wallet'])
    assert.ok(!(await find(text))[0]?.startsWith('/apis/'), text);
  for (const text of ['POST /wallets', 'connectWallet'])
    assert.equal((await find(text))[0], '/apis/x#connectWallet', text);
  assert.equal((await find('GET /wallets', { here: 'docs-dao-current' }))[0], '/apis/x#listWallets');
});

test('an HTTP method in a sentence does not search for an operation', async () => {
  assert.ok(!(await find('verify a wallet by POST'))[0]?.startsWith('/apis/'));
});

test('an operation is found by a field that it alone has', async () => {
  const pages = sampleIndex.pages.map((page) =>
    page.operationId === 'listWallets' ? { ...page, fields: ['isPartial', 'items'] } : page,
  );
  const engine = await openEngine({ pages });
  assert.equal(engine.find('isPartial', { ...sampleContext })[0]?.page.operationId, 'listWallets');
});

test('other versions and languages are excluded', async () => {
  assert.ok(!(await find('API key')).includes('/docs/0.64/keys'));
  assert.ok((await find('API key', { tags: ['docs-default-0.64'] })).includes('/docs/0.64/keys'));
  assert.deepEqual(await find('API key', { language: 'fr' }), []);
});

test('unknown terms find nothing', async () => {
  for (const text of ['xqzvbn', '', '   ', 'how do I', '*', '(((']) assert.deepEqual(await find(text), [], text);
});

test('a query of any size is cut to what can be looked up quickly', async () => {
  const engine = await openEngine(sampleIndex);
  for (const size of [90_000, 900_000]) {
    const oneWord = readQuery('w'.repeat(size));
    assert.deepEqual(
      oneWord.map((term) => term.length),
      [maxQueryLength],
    );
    assert.ok(readQuery('a1 '.repeat(size / 3)).length <= 32);
    assert.ok(readQuery(Array.from({ length: size / 9 }, (_, index) => `wal${index}`).join(' ')).length <= 32);
    for (const text of ['w'.repeat(size), 'wallet '.repeat(size / 7), `${'('.repeat(size)}`, 'ﷺ'.repeat(size)])
      engine.find(text, sampleContext);
  }
});

test('a long word is only matched exactly', async () => {
  const name = 'pneumonoultramicroscopicsilicovolcano';
  const page = { ...firstPage(), path: '/docs/long', title: name, sections: [{ text: '' }] };
  const engine = await openEngine({ pages: [...sampleIndex.pages, page] });
  const isFound = (text: string) => engine.find(text, sampleContext).length > 0;
  assert.ok(isFound(name));
  assert.ok(isFound(name.slice(0, 20)));
  assert.ok(!isFound(`${name.slice(0, -3)}xx`));
});
