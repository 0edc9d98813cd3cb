import { type Catalogue, createMessages, type Locale, locales, type Messages } from '@latchkey/kernel/messages';
import admins from './admins.ts';
import ar from './ar.ts';
import de from './de.ts';
import en from './en.ts';
import es from './es.ts';
import fr from './fr.ts';
import ja from './ja.ts';
import ko from './ko.ts';
import ptBR from './pt-BR.ts';
import tr from './tr.ts';
import vi from './vi.ts';
import zhCN from './zh-CN.ts';

export type ServerMessages = Messages<typeof en>;
export type ServerMessageId = keyof typeof en;

const catalogues: Readonly<Record<Locale, Catalogue<typeof en>>> = {
  en,
  es,
  'pt-BR': ptBR,
  fr,
  de,
  tr,
  vi,
  'zh-CN': zhCN,
  ja,
  ko,
  ar,
};

/** What is not translated is said in English. */
const all = new Map(
  locales.map((locale): [Locale, ServerMessages] => [
    locale,
    createMessages(locale, (id) => catalogues[locale][id] ?? en[id]),
  ]),
);
const english = createMessages<typeof en>('en', (id) => en[id]);

/** What the server says to a member in their language; in English where it is not known. */
export function messagesIn(locale: Locale | undefined): ServerMessages {
  return (locale && all.get(locale)) ?? english;
}

/** What the server says to admins, payers and the operator, in English. */
export const adminMessages = createMessages<typeof admins>('en', (id) => admins[id]);
