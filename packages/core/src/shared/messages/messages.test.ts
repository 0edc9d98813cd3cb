import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Locale, locales } from '@latchkey/kernel/messages';
import { findCatalogueFaults } from '@latchkey/kernel/messages/testing';
import { messagesIn } from './index.ts';

const catalogueOf = async (locale: Locale): Promise<Record<string, string>> => (await import(`./${locale}.ts`)).default;

describe('what the server says to members', () => {
  test('is there in every language, with the same parameters, the plurals of the language and no markup', async () => {
    const all = await Promise.all(locales.map(async (locale) => [locale, await catalogueOf(locale)]));
    assert.deepEqual(findCatalogueFaults(await catalogueOf('en'), Object.fromEntries(all)), []);
  });

  test('counts in Arabic with six forms, and in Japanese with one', () => {
    const count = (locale: Locale) =>
      new Set(
        [0, 1, 2, 3, 11, 100].map((days) =>
          messagesIn(locale)('need.days', { need: '', count: days }).replace(/\d+/, '#'),
        ),
      );
    assert.equal(count('ar').size, 5, 'zero and a hundred are spelled alike');
    assert.equal(count('ja').size, 1);
  });

  test('fits the limits of Discord’s commands and of Telegram’s', () => {
    const names = ['join', 'roles', 'check', 'kudos', 'apps'] as const;
    for (const locale of locales) {
      const t = messagesIn(locale);
      const localized = names.map((name) => t(`command.${name}.name`));
      assert.equal(new Set(localized).size, names.length, `${locale}: names differ`);
      for (const name of localized) {
        assert.match(name, /^[-_\p{L}\p{N}]{1,32}$/u, locale);
        assert.equal(name, name.toLowerCase(), locale);
      }
      for (const name of names) assert.ok(t(`command.${name}`).length <= 100, `${locale}: ${name}`);
      for (const id of ['command.latchkey', 'command.connect', 'command.why', 'command.check'] as const)
        assert.ok(t(id).length <= 100, `${locale}: ${id}`);
      for (const id of ['title', 'user', 'type', 'text'] as const)
        assert.ok(t(`command.kudos.${id}`).length <= 45, `${locale}: ${id} of the form`);
    }
  });

  test('asks on Reddit by a word of its own in each language', () => {
    const words = locales.map((locale) => messagesIn(locale)('reddit.why'));
    assert.equal(new Set(words).size, locales.length);
    for (const word of words) assert.match(word, /^\S+$/u);
  });

  test('is English where the language is not known', () => {
    assert.equal(messagesIn(undefined)('why.held'), 'held');
  });
});
