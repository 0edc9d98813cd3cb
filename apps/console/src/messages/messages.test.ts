import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Locale, locales } from '@latchkey/kernel/messages';
import { findCatalogueFaults } from '@latchkey/kernel/messages/testing';
import { loadMessages, t } from './index.ts';
import { pseudoText } from './pseudo-text.ts';

const catalogueOf = async (locale: Locale): Promise<Record<string, string>> => (await import(`./${locale}.ts`)).default;

test('the pages for members are there in every language, with the same parameters and no markup', async () => {
  const all = await Promise.all(locales.map(async (locale) => [locale, await catalogueOf(locale)]));
  assert.deepEqual(findCatalogueFaults(await catalogueOf('en'), Object.fromEntries(all)), []);
});

test('a page speaks the language of its document, and English for a language that we do not', async () => {
  await loadMessages('tr');
  assert.equal(t('action.cancel'), 'Vazgeç');
  await loadMessages('xx');
  assert.equal(t('action.cancel'), 'Cancel');
});

test('the pseudo-locale has no plain letter left, is longer, and shows both ends', () => {
  const text = String(pseudoText('Sign in to continue'));
  assert.match(text, /^\[.*\]$/);
  assert.doesNotMatch(text, /[A-Za-z]/);
  assert.ok(text.length >= 19 * 1.3, text);
});

test('the names of buttons for screen readers contain the words that are seen, for those who speak them', async () => {
  const pairs = [
    ['wallets.unlink', 'wallets.unlinkOne'],
    ['passkeys.rename', 'passkeys.renameOne'],
    ['passkeys.delete', 'passkeys.deleteOne'],
  ] as const;
  for (const locale of locales) {
    const texts = await catalogueOf(locale);
    for (const [seen, spoken] of pairs) {
      const [inside = '', whole = ''] = [texts[seen], texts[spoken]].map((text) => text?.toLocaleLowerCase(locale));
      assert.ok(inside !== '' && whole.includes(inside), `${locale}: ${whole} lacks ${inside}`);
    }
  }
});
