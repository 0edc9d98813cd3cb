import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchContext } from './client.ts';
import { openEngine } from './engine.ts';
import { sampleContext, sampleIndex } from './sample-index.ts';
import { suggestionsFor } from './suggestions.ts';

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

test('a page is listed once, whatever many of its sections were found', async () => {
  const paths = await find('sign wallet metamask');
  assert.equal(paths.filter((path) => path.startsWith('/help-docs/verify')).length, 1);
});

test('the docs being read come first', async () => {
  assert.ok((await find('wallet'))[0]?.startsWith('/help-docs/'));
  const fromDao = await find('wallet', { here: 'docs-dao-current' });
  assert.deepEqual(new Set(fromDao.slice(0, 2)), new Set(['/dao/voting', '/dao/claim']));
  assert.ok(fromDao.includes('/help-docs/verify'));
});

test('operations do not come before the pages that explain, unless one is asked for', async () => {
  for (const word of ['wallet', 'token', 'sign']) assert.ok(!(await find(word))[0]?.startsWith('/apis/'), word);
  for (const text of ['POST /wallets', 'connectWallet'])
    assert.equal((await find(text))[0], '/apis/x#connectWallet', text);
  assert.equal((await find('GET /wallets', { here: 'docs-dao-current' }))[0], '/apis/x#listWallets');
});

test('other versions and languages stay away', async () => {
  assert.ok(!(await find('API key')).includes('/docs/0.64/keys'));
  assert.ok((await find('API key', { tags: ['docs-default-0.64'] })).includes('/docs/0.64/keys'));
  assert.deepEqual(await find('API key', { language: 'fr' }), []);
});

test('what nobody wrote about is not found', async () => {
  for (const text of ['xqzvbn', '', '   ', 'how do I', '*', '(((']) assert.deepEqual(await find(text), [], text);
});

test('readers of every part get something else to search for', () => {
  for (const here of ['docs-default-current', 'docs-help-docs-current', 'docs-dao-0.64', undefined])
    assert.equal(suggestionsFor(here).length, 3);
  assert.ok(suggestionsFor('docs-help-docs-current').includes('permissions'));
});
