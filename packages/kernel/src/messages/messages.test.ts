import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCatalogueFaults } from './catalogue-faults.ts';
import { acceptedLocale, createMessages, directionOf, findLocale, firstLocale, type Locale, locales } from './index.ts';

const source = {
  plain: 'Sign in',
  name: 'Hello {name}',
  count: 'You have {count, plural, =0 {no wallets} one {# wallet in {place}} other {# wallets in {place}}}.',
  state: '{truth, select, true {Yes, {name}.} other {No.}}',
  first: 'Only the first {count, number}',
} as const;

function messages(locale: Locale, texts: Readonly<Record<string, string>> = source) {
  return createMessages<typeof source>(locale, (id) => texts[id]);
}

describe('messages', () => {
  test('take their parameters, plurals and numbers by the language', () => {
    const t = messages('en');
    assert.equal(t('plain'), 'Sign in');
    assert.equal(t('name', { name: 'Ann' }), 'Hello Ann');
    assert.equal(t('count', { count: 1, place: 'here' }), 'You have 1 wallet in here.');
    assert.equal(t('count', { count: 12_345, place: 'here' }), 'You have 12,345 wallets in here.');
    assert.equal(t('state', { truth: 'true', name: 'Ann' }), 'Yes, Ann.');
    assert.equal(messages('de')('first', { count: 1_000 }), 'Only the first 1.000');
    assert.equal(messages('ar')('first', { count: 15 }), 'Only the first 15');
  });

  test('do not compile with an unknown id, a missing parameter or one of the wrong kind', () => {
    const t = messages('en');
    // @ts-expect-error: no such message
    t('nothing');
    // @ts-expect-error: it takes no parameters
    t('plain', { name: 'Ann' });
    // @ts-expect-error: a plural takes a number
    t('count', { count: '2', place: 'here' });
    // @ts-expect-error: the parameter is called name
    assert.throws(() => t('name', { called: 'Ann' }), /name/);
    // @ts-expect-error: the parameter inside of the plural is missing
    assert.throws(() => t('count', { count: 2 }), /place/);
  });

  test('keep parts that are not text', () => {
    const node = { isElement: true };
    assert.deepEqual(messages('en').rich('name', { name: node }), ['Hello ', node]);
    assert.deepEqual(messages('en').rich('name', { name: 'Ann' }), ['Hello Ann']);
  });

  test('put nothing of a parameter into the pattern', () => {
    const evil = '{count, plural, other {#}} <b>$& ’ \u202e';
    assert.equal(messages('en')('name', { name: evil }), `Hello ${evil}`);
  });

  test('write numbers of any precision and dates as the language does', () => {
    const at = new Date('2026-11-18T15:04:00Z');
    assert.equal(messages('en').decimal('1000000.000000000000000001'), '1,000,000.000000000000000001');
    assert.equal(messages('de').decimal('1234567.5'), '1.234.567,5');
    assert.equal(messages('en').decimal('many'), 'many');
    assert.match(messages('de').dateTime(at, 'UTC'), /^18\.11\.2026.*15:04 UTC$/);
    assert.match(messages('ja').dateTime(at, 'UTC'), /^2026\/11\/18.*15:04 UTC$/);
  });

  test('write lists as the language does, in little room and in a sentence', () => {
    assert.equal(messages('en').list(['a', 'b', 'c']), 'a, b, c');
    assert.equal(messages('en').list(['a', 'b'], 'and'), 'a and b');
    assert.equal(messages('de').list(['a', 'b', 'c'], 'or'), 'a, b oder c');
  });

  test('show the id of a message that is nowhere', () => {
    assert.equal(messages('en', {})('plain'), 'plain');
  });
});

describe('the language', () => {
  test('of a tag is found for regions and scripts, and not guessed for other languages', () => {
    const found = ['en-GB', 'es-419', 'es-ES', 'pt', 'pt-PT', 'zh', 'zh-Hans-CN', 'ZH-cn', 'fr_CA', 'ar-EG'].map(
      findLocale,
    );
    assert.deepEqual(found, ['en', 'es', 'es', 'pt-BR', 'pt-BR', 'zh-CN', 'zh-CN', 'zh-CN', 'fr', 'ar']);
    for (const tag of ['zh-TW', 'zh-Hant', 'sv-SE', '*', '', 'constructor'])
      assert.equal(findLocale(tag), undefined, tag);
  });

  test('of a browser is the first of its preferences that we speak', () => {
    assert.equal(acceptedLocale('sv, de;q=0.5, tr;q=0.9'), 'tr');
    assert.equal(acceptedLocale('fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5'), 'fr');
    assert.equal(acceptedLocale('de;q=0, ja'), 'ja');
    for (const header of ['', '*', 'sv', ';;;,q=', 'x'.repeat(100_000), 'de;q=nonsense'])
      assert.equal(acceptedLocale(header), undefined, header.slice(0, 20));
    assert.equal(firstLocale(['sv', 'ko-KR', 'en']), 'ko');
    assert.equal(firstLocale([...Array.from({ length: 20 }, () => 'xx'), 'en']), undefined, 'long lists are cut');
  });

  test('is written from right to left in Arabic alone', () => {
    assert.deepEqual(
      locales.filter((locale) => directionOf(locale) === 'rtl'),
      ['ar'],
    );
  });
});

test('faults of a catalogue are found', () => {
  const plain = (locale: Locale) => ({ plain: `${locale}!` });
  const whole: Record<Locale, Record<string, string>> = {
    en: plain('en'),
    es: plain('es'),
    'pt-BR': plain('pt-BR'),
    fr: plain('fr'),
    de: plain('de'),
    tr: plain('tr'),
    vi: plain('vi'),
    'zh-CN': plain('zh-CN'),
    ja: plain('ja'),
    ko: plain('ko'),
    ar: plain('ar'),
  };
  const faultsOf = (english: string, locale: Locale, text: string | undefined) =>
    findCatalogueFaults(
      { plain: english },
      { ...whole, en: { plain: english }, [locale]: { ...(text !== undefined && { plain: text }) } },
    ).filter((fault) => fault.startsWith(`${locale}:`));
  assert.deepEqual(faultsOf('Sign in', 'de', 'Anmelden'), []);
  assert.match(faultsOf('Sign in', 'de', undefined)[0] ?? '', /is not translated/);
  assert.match(faultsOf('Hello {name}', 'de', 'Hallo {nam}')[0] ?? '', /parameters nam instead of name/);
  assert.match(faultsOf('Hello {name}', 'de', 'Hallo {name')[0] ?? '', /not valid/);
  assert.match(faultsOf('Sign in', 'de', '<b>Anmelden</b>')[0] ?? '', /markup/);
  assert.match(faultsOf('Sign in', 'fr', "S'inscrire")[0] ?? '', /apostrophe/);
  const count = '{count, plural, one {# day} other {# days}}';
  assert.match(faultsOf(count, 'ar', count).join(), /lacks the plural (zero|two)/);
  assert.match(faultsOf(count, 'ja', count)[0] ?? '', /has the plural one/);
  assert.deepEqual(faultsOf(count, 'ja', '{count, plural, other {#日}}'), []);
  assert.match(faultsOf('x'.repeat(40), 'de', 'x'.repeat(40))[0] ?? '', /still in English/);
  const extra = findCatalogueFaults({ plain: 'a' }, { ...whole, de: { plain: 'b', other: 'c' } });
  assert.ok(extra.includes('de: other is not in the English catalogue'));
});
