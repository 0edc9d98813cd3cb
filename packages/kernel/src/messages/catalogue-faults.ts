import { IntlMessageFormat } from 'intl-messageformat';
import { type Locale, locales } from './locales.ts';

type Elements = ReturnType<IntlMessageFormat['getAst']>;
type Texts = Readonly<Record<string, string | undefined>>;

/** What is wrong with the translations of a catalogue; tests hold it to nothing. */
export function findCatalogueFaults(source: Texts, translations: Readonly<Record<Locale, Texts>>): string[] {
  return locales.flatMap((locale) => {
    const texts = translations[locale];
    const unknown = Object.keys(texts).filter((id) => !Object.hasOwn(source, id));
    return [
      ...unknown.map((id) => `${locale}: ${id} is not in the English catalogue`),
      ...Object.entries(source).flatMap(([id, english = '']) =>
        findFaults(locale, english, texts[id]).map((fault) => `${locale}: ${id} ${fault}`),
      ),
    ];
  });
}

/** What is wrong with a catalogue that is in English alone. */
export function findEnglishFaults(source: Texts): string[] {
  return Object.entries(source).flatMap(([id, text = '']) =>
    findFaults('en', text, text).map((fault) => `${id} ${fault}`),
  );
}

/** Above this, a text that equals the English one was forgotten. */
const longText = 30;

function findFaults(locale: Locale, english: string, text: string | undefined): string[] {
  if (text === undefined) return ['is not translated'];
  const elements = parse(text, locale);
  if (elements === undefined) return ['is not valid ICU MessageFormat'];
  const [wanted, found] = [parse(english, 'en') ?? [], elements].map((parsed) => parameters(parsed).join(', '));
  return [
    ...(wanted === found ? [] : [`has the parameters ${found || 'none'} instead of ${wanted || 'none'}`]),
    ...plurals(elements).flatMap((options) => findPluralFaults(locale, options)),
    ...literals(elements)
      .filter((part) => /[<>`*]|&#?\w+;/.test(part))
      .map((part) => `has markup in “${part}”`),
    ...(text.trim() === text && text !== '' ? [] : ['is empty or has spaces at its ends']),
    ...(text.includes("'") ? ['has a straight apostrophe, which ICU MessageFormat reads as a quote'] : []),
    ...(locale !== 'en' && text === english && text.length > longText ? ['is still in English'] : []),
  ];
}

function parse(text: string, locale: string): Elements | undefined {
  try {
    return new IntlMessageFormat(text, locale, undefined, { ignoreTag: true }).getAst();
  } catch {
    return undefined;
  }
}

/** The element and those inside of its options. */
function flatten(elements: Elements): Elements {
  return elements.flatMap((element) => [
    element,
    ...('options' in element ? Object.values(element.options).flatMap(({ value }) => flatten(value)) : []),
  ]);
}

const [literal, argument, select, plural] = [0, 1, 5, 6];

/** `count plural`, `name`, and a select with its cases, each once. */
function parameters(elements: Elements): string[] {
  const named = flatten(elements).flatMap((element) => {
    if (element.type === literal || !('value' in element) || typeof element.value !== 'string') return [];
    if (element.type === argument) return [element.value];
    const cases = element.type === select && 'options' in element ? Object.keys(element.options).toSorted() : [];
    return [`${element.value} ${[element.type, ...cases].join(' ')}`];
  });
  return [...new Set(named)].toSorted();
}

function literals(elements: Elements): string[] {
  return flatten(elements).flatMap((element) =>
    element.type === literal && 'value' in element ? [element.value] : [],
  );
}

function plurals(elements: Elements): string[][] {
  return flatten(elements).flatMap((element) =>
    element.type === plural && 'options' in element ? [Object.keys(element.options)] : [],
  );
}

/** Every category that whole numbers up to 1,000 have in the language, and none that it does not know. */
function findPluralFaults(locale: Locale, options: readonly string[]): string[] {
  const rules = new Intl.PluralRules(locale);
  const known = rules.resolvedOptions().pluralCategories;
  const needed = new Set([...Array.from({ length: 1_000 }, (_, count) => rules.select(count)), 'other']);
  const given = options.filter((option) => !option.startsWith('='));
  return [
    ...[...needed].filter((category) => !given.includes(category)).map((category) => `lacks the plural ${category}`),
    ...given
      .filter((category) => !known.some((name) => name === category))
      .map((category) => `has the plural ${category}, which the language does not have`),
  ];
}
