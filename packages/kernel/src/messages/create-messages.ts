import { IntlMessageFormat } from 'intl-messageformat';
import { type PageLocale, pseudoLocale } from './locales.ts';
import type { ParamsOf } from './params-of.ts';

/** A message as it is in a catalogue (ICU MessageFormat), or as the build of the pages has parsed it. */
export type MessageText = ConstructorParameters<typeof IntlMessageFormat>[0];

/** Messages by id. English decides which ids there are, and which parameters each takes. */
export type Catalogue<Source extends Readonly<Record<string, string>> = Readonly<Record<string, string>>> = {
  readonly [Id in keyof Source]?: string;
};

type Arguments<Params> = keyof Params extends never ? [] : [params: Params];

/** Says the messages of a catalogue in one language. An unknown id or a missing parameter does not compile. */
export interface Messages<Source extends Readonly<Record<string, string>>> {
  <Id extends keyof Source & string>(id: Id, ...params: Arguments<ParamsOf<Source[Id], never>>): string;
  /** The same with parameters that are not text, such as elements of a page: the parts of the message in order. */
  rich<Id extends keyof Source & string, Node>(id: Id, params: ParamsOf<Source[Id], Node>): (string | Node)[];
  readonly locale: PageLocale;
  number(value: number): string;
  /** A number of any size and precision, such as `1000000.5`. What is not a number stays as it is. */
  decimal(digits: string): string;
  date(at: Date): string;
  /** With the time, in UTC where `timeZone` says so. */
  dateTime(at: Date, timeZone?: 'UTC'): string;
  /** A date or a time in another style. */
  formatDate(at: Date, style: Intl.DateTimeFormatOptions): string;
  /** `a, b`, as the language writes lists in little room. */
  list(items: readonly string[]): string;
}

/** Arabic apps write Western digits, and addresses, codes and amounts here have them anyway. */
const intlTags: Readonly<Partial<Record<PageLocale, string>>> = { ar: 'ar-u-nu-latn', [pseudoLocale]: 'en' };

/** Without these characters a text is no pattern, and needs neither a parser nor a formatter. */
const patternCharacters = /[{}'#]/;

/** `texts` says which message an id has; what it has none for is shown as the id. */
export function createMessages<Source extends Readonly<Record<string, string>>>(
  locale: PageLocale,
  texts: (id: keyof Source & string) => MessageText | undefined,
): Messages<Source> {
  const tag = intlTags[locale] ?? locale;
  const formats = new Map<string, IntlMessageFormat>();
  const format = (id: keyof Source & string, params: object = {}) => {
    const text = texts(id) ?? id;
    if (typeof text === 'string' && !patternCharacters.test(text)) return text;
    const known = formats.get(id) ?? new IntlMessageFormat(text, tag, undefined, { ignoreTag: true });
    formats.set(id, known);
    return known.format(params as Record<string, string>);
  };
  const number = new Intl.NumberFormat(tag);
  const exact = new Intl.NumberFormat(tag, { maximumFractionDigits: 20 });
  return Object.assign((id: keyof Source & string, params?: object) => String(format(id, params)), {
    rich: (id: keyof Source & string, params: object) => {
      const parts: unknown = format(id, params);
      return Array.isArray(parts) ? parts : [parts];
    },
    locale,
    number: (value: number) => number.format(value),
    decimal: (digits: string) => (/^-?\d+(\.\d+)?$/.test(digits) ? exact.format(digits as `${number}`) : digits),
    date: (at: Date) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium' }).format(at),
    dateTime: (at: Date, timeZone?: 'UTC') => {
      const style = { dateStyle: 'medium', timeStyle: 'short', ...(timeZone && { timeZone }) } as const;
      const text = new Intl.DateTimeFormat(tag, style).format(at);
      return timeZone === undefined ? text : `${text} ${timeZone}`;
    },
    formatDate: (at: Date, style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, style).format(at),
    list: (items: readonly string[]) => new Intl.ListFormat(tag, { style: 'narrow' }).format(items),
  }) as Messages<Source>;
}
