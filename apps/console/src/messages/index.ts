import {
  type Catalogue,
  createMessages,
  findLocale,
  type Locale,
  type Messages,
  type MessageText,
  type PageLocale,
  pseudoLocale,
} from '@latchkey/kernel/messages';
import type { ReactNode } from 'react';
import type en from './en.ts';

export type PageMessages = Messages<typeof en>;
export type PageMessageId = keyof typeof en;

/**
 * Says a message in the language of the page: `t('login.title', { name })`. There from `loadMessages` on, which every page waits for
 * before it shows anything. A page that changes its language is loaded again, so the server's words change with it.
 */
export let t: PageMessages;

let pseudoText: ((text: MessageText) => MessageText) | undefined;

/**
 * The texts of a part of the console, which is in English: `export const t = consoleMessages(en)`. They load with the screens that import
 * them. The pseudo-locale replaces them as it does the texts for members.
 */
export function consoleMessages<const Source extends Readonly<Record<string, string>>>(
  texts: Source,
): Messages<Source, ReactNode> {
  return createMessages<Source>('en', (id) => {
    const text: MessageText | undefined = texts[id];
    return text === undefined ? undefined : (pseudoText?.(text) ?? text);
  });
}

type Loaded = Promise<{ default: Catalogue<typeof en> }>;

/** One file per language, of which a browser loads one. The build parses the texts and fills what is not translated with English. */
const files: Readonly<Record<Locale, () => Loaded>> = {
  en: () => import('./en.ts'),
  es: () => import('./es.ts'),
  'pt-BR': () => import('./pt-BR.ts'),
  fr: () => import('./fr.ts'),
  de: () => import('./de.ts'),
  tr: () => import('./tr.ts'),
  vi: () => import('./vi.ts'),
  'zh-CN': () => import('./zh-CN.ts'),
  ja: () => import('./ja.ts'),
  ko: () => import('./ko.ts'),
  ar: () => import('./ar.ts'),
};

/** Loads the language that the server chose for the page, which its document names. */
export async function loadMessages(
  tag: string = typeof document === 'undefined' ? 'en' : document.documentElement.lang,
): Promise<void> {
  const locale: PageLocale = tag === pseudoLocale ? pseudoLocale : (findLocale(tag) ?? 'en');
  const { default: texts } = await files[locale === pseudoLocale ? 'en' : locale]();
  if (locale !== pseudoLocale) t = createMessages(locale, (id) => texts[id]);
  else {
    const { pseudoText: toPseudo } = await import('./pseudo-text.ts');
    pseudoText = toPseudo;
    t = createMessages(locale, (id) => toPseudo(texts[id] as MessageText));
  }
}
