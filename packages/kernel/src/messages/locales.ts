/** The languages that members can read, English first: it is the source of the others and what is shown where they lack something. */
export const locales = ['en', 'es', 'pt-BR', 'fr', 'de', 'tr', 'vi', 'zh-CN', 'ja', 'ko', 'ar'] as const;
export type Locale = (typeof locales)[number];

/** What each language calls itself, for the choice of one. */
export const localeTitles: Readonly<Record<Locale, string>> = {
  en: 'English',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  fr: 'Français',
  de: 'Deutsch',
  tr: 'Türkçe',
  vi: 'Tiếng Việt',
  'zh-CN': '简体中文',
  ja: '日本語',
  ko: '한국어',
  ar: 'العربية',
};

/** The cookie in which a browser keeps the language that its user chose. */
export const localeCookie = 'latchkey-locale';

/**
 * Accented, longer, bracketed English, for tests and for developers who set the cookie by hand: text without brackets is
 * not in a catalogue. No browser asks for it.
 */
export const pseudoLocale = 'en-XA';
export type PageLocale = Locale | typeof pseudoLocale;

export function directionOf(locale: PageLocale): 'ltr' | 'rtl' {
  return locale === 'ar' ? 'rtl' : 'ltr';
}

/** The one of our locales that a language tag (BCP 47) of a browser, Discord or Telegram means; undefined for other languages. */
export function findLocale(tag: string): Locale | undefined {
  const wanted = tag.trim().toLowerCase();
  const exact = locales.find((locale) => locale.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  // Readers of traditional Chinese are not given the simplified script.
  if (/^zh[-_](?:hant|tw|hk|mo)\b/.test(wanted)) return undefined;
  const [language] = wanted.split(/[-_]/);
  return locales.find((locale) => locale.split('-')[0]?.toLowerCase() === language);
}

const mostTags = 20;

/** The first of our locales in a list of language tags: `ui_locales` of OpenID Connect, in the order of preference. */
export function firstLocale(tags: readonly string[]): Locale | undefined {
  for (const tag of tags.slice(0, mostTags)) {
    const found = findLocale(tag.slice(0, 35));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The best of our locales for an Accept-Language header (RFC 9110 12.5.4); undefined if it names none of them. */
export function acceptedLocale(header: string): Locale | undefined {
  const ranges = header
    .slice(0, 1_000)
    .split(',')
    .slice(0, mostTags)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    });
  const wanted = ranges.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality);
  return firstLocale(wanted.map(({ tag }) => tag));
}
