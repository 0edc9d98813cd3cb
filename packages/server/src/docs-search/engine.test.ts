import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine, type SearchContext } from './engine.ts';
import type { IndexedPage } from './index-file.ts';
import { sampleContext, sampleIndex } from './sample-index.ts';

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

test('a title is found by its words, by the beginning of one, and in spite of typos', async () => {
  for (const text of ['verify your wallet', 'verif', 'verfy walet', 'VERIFYING wallets'])
    assert.equal((await find(text))[0], '/help-docs/verify', text);
});

test('a heading is found at its anchor', async () => {
  assert.equal((await find('hardware device'))[0], '/help-docs/verify#hardware');
});

test('words that stand together in one phrase of a page say more than the same words in several', async () => {
  const page = (path: string, keywords: string[]): IndexedPage => ({
    ...firstPage(),
    path,
    title: path,
    keywords,
    sections: [{ text: 'Nothing of it.' }],
  });
  const engine = await openEngine({
    pages: [
      page('/apart', ['revoke a key', 'consent screen']),
      page('/together', ['revoke consent', 'screen of a key']),
    ],
  });
  assert.deepEqual(
    engine.find('revoke consent', sampleContext).map((finding) => finding.page.path),
    ['/together', '/apart'],
  );
});

test('a page is found by what readers ask, and shows the section that speaks of it', async () => {
  const house = {
    ...firstPage(),
    path: '/docs/house',
    title: 'House',
    questions: ['my roof leaks', 'where do I pay the rent'],
    sections: [{ text: 'Walls and doors.' }, { heading: 'Roof', anchor: 'roof', text: 'Tiles keep water out.' }],
  };
  const engine = await openEngine({ pages: [...sampleIndex.pages, house] });
  const [leak] = engine.find('roof leaks', sampleContext);
  assert.equal(leak?.section.anchor, 'roof');
  const [rent] = engine.find('paying rent', sampleContext);
  assert.equal(rent?.page.path, '/docs/house');
  assert.equal(rent?.section.text, 'Walls and doors.');
  assert.deepEqual([rent?.coverage, rent?.pageCoverage], [0, 0]);
});

test('how something is asked tells apart what has the same words', async () => {
  const pages = ['why is there no lamp', 'which lamp is there', 'who has a lamp'].map((question, index) => ({
    ...firstPage(),
    path: `/docs/${index}`,
    title: 'House',
    questions: [question],
    sections: [{ text: 'Nothing of it.' }],
  }));
  const engine = await openEngine({ pages });
  for (const [index, text] of ["why isn't a lamp here", 'which lamps', 'who had the lamp'].entries())
    assert.equal(engine.find(text, sampleContext)[0]?.page.path, `/docs/${index}`, text);
});

test('a question is known in spite of a typo, and before it is written to its end', async () => {
  const pages = ['repair the umbrella', 'repair the lantern in the garden'].map((question, index) => ({
    ...firstPage(),
    path: `/docs/${index}`,
    title: 'House',
    questions: [question],
    sections: [{ text: 'Umbrella, lantern.' }],
  }));
  const engine = await openEngine({ pages });
  for (const [text, path] of [
    ['repair umbrela', '/docs/0'],
    ['repair lantren', '/docs/1'],
    ['repair lant', '/docs/1'],
  ] as const)
    assert.equal(engine.find(text, sampleContext)[0]?.page.path, path, text);
});

test('a page is listed once, whatever many of its sections were found', async () => {
  const paths = await find('sign wallet metamask');
  assert.equal(paths.filter((path) => path.startsWith('/help-docs/verify')).length, 1);
});

test('of answers that are about as good the one of the docs being read comes first, and no other', async () => {
  const twins = ['docs', 'help-docs', 'dao'].map((folder) => ({
    ...firstPage(),
    path: `/${folder}/twin`,
    title: 'Lanterns',
    tag: `docs-${folder === 'docs' ? 'default' : folder}-current`,
  }));
  const engine = await openEngine({ pages: [...sampleIndex.pages, ...twins] });
  for (const { path, tag } of twins)
    assert.equal(engine.find('lanterns', { ...sampleContext, here: tag })[0]?.page.path, path);
  const fromDao = await find('verify your wallet', { here: 'docs-dao-current' });
  assert.equal(fromDao[0], '/help-docs/verify');
});

test('a word that pages spell in several ways counts once, so that the others decide as well', async () => {
  const pages = ['Mini-app', 'Buttons'].map((title, index) => ({
    ...firstPage(),
    path: `/docs/${index}`,
    title,
    sections: [{ text: index === 0 ? 'A mini-app answers.' : 'Buttons of a mini-app.' }],
  }));
  const engine = await openEngine({ pages: [...sampleIndex.pages, ...pages] });
  assert.equal(engine.find('buttons of a mini-app', { ...sampleContext })[0]?.page.path, '/docs/1');
});

test('operations do not come before the pages that explain, unless one is asked for', async () => {
  for (const word of ['wallet', 'token', 'sign']) assert.ok(!(await find(word))[0]?.startsWith('/apis/'), word);
  for (const text of ['POST /wallets', 'connectWallet'])
    assert.equal((await find(text))[0], '/apis/x#connectWallet', text);
  assert.equal((await find('GET /wallets', { here: 'docs-dao-current' }))[0], '/apis/x#listWallets');
});

test('a method in a sentence does not ask for an operation', async () => {
  assert.ok(!(await find('verify a wallet by POST'))[0]?.startsWith('/apis/'));
});

test('a page is found by what its readers call it, and by words that stand for its own', async () => {
  const lantern = {
    ...firstPage(),
    path: '/docs/lantern',
    title: 'Lanterns',
    keywords: ['night light'],
    sections: [{ text: 'Unlink the lamp.' }],
  };
  const engine = await openEngine({ pages: [...sampleIndex.pages, lantern] });
  for (const text of ['night light', 'disconnect a lamp'])
    assert.equal(engine.find(text, { ...sampleContext })[0]?.page.path, '/docs/lantern', text);
});

test('the word that was asked for counts more than one that stands for it', async () => {
  const pages = ['Disconnect', 'Unlink'].map((title) => ({
    ...firstPage(),
    path: `/docs/${title}`,
    title,
    sections: [{ text: 'Lamps.' }],
  }));
  const engine = await openEngine({ pages });
  for (const title of ['Disconnect', 'Unlink'])
    assert.equal(engine.find(title, { ...sampleContext })[0]?.page.path, `/docs/${title}`);
});

test('words that stand together in the question and on a page count more than the same words apart', async () => {
  const pages = ['Manage lamps. Paint walls.', 'Manage walls. Paint lamps.'].map((text, index) => ({
    ...firstPage(),
    path: `/docs/${index}`,
    title: 'House',
    sections: [{ text }],
  }));
  const engine = await openEngine({ pages });
  assert.equal(engine.find('manage lamps', { ...sampleContext })[0]?.page.path, '/docs/0');
  assert.equal(engine.find('manage walls', { ...sampleContext })[0]?.page.path, '/docs/1');
});

test('an operation is found by a field that it alone has', async () => {
  const pages = sampleIndex.pages.map((page) =>
    page.operationId === 'listWallets' ? { ...page, fields: ['isPartial', 'items'] } : page,
  );
  const engine = await openEngine({ pages });
  assert.equal(engine.find('isPartial', { ...sampleContext })[0]?.page.operationId, 'listWallets');
});

test('other versions and languages stay away', async () => {
  assert.ok(!(await find('API key')).includes('/docs/0.64/keys'));
  assert.ok((await find('API key', { tags: ['docs-default-0.64'] })).includes('/docs/0.64/keys'));
  assert.deepEqual(await find('API key', { language: 'fr' }), []);
});

test('what nobody wrote about is not found', async () => {
  for (const text of ['xqzvbn', '', '   ', 'how do I', '*', '(((']) assert.deepEqual(await find(text), [], text);
});
