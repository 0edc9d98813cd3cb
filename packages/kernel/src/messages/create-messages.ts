import { IntlMessageFormat } from 'intl-messageformat';
import { type PageLocale, pseudoLocale } from './locales.ts';

/** A message as it is in a catalogue (ICU MessageFormat), or as the build of the pages has parsed it. */
export type MessageText = ConstructorParameters<typeof IntlMessageFormat>[0];

/** Messages by id. English decides which ids there are, and which parameters each takes. */
export type Catalogue<Source extends Readonly<Record<string, string>> = Readonly<Record<string, string>>> = {
  readonly [Id in keyof Source]?: string;
};

type Arguments<Params> = keyof Params extends never ? [] : [params: Params];

/**
 * Says the messages of a catalogue in one language. An unknown id or a missing parameter does not compile. `Element` is what `rich` takes
 * and returns where the compiler cannot infer it.
 */
export interface Messages<Source extends Readonly<Record<string, string>>, Element = unknown> {
  <Id extends keyof Source & string>(id: Id, ...params: Arguments<ParamsOf<Source[Id], never>>): string;
  /** The same with parameters that are not text, such as elements of a page: the parts of the message in order. */
  rich<Id extends keyof Source & string, Node = Element>(id: Id, params: ParamsOf<Source[Id], Node>): (string | Node)[];
  readonly locale: PageLocale;
  number(value: number): string;
  /** A number of any size and precision, such as `1000000.5`. What is not a number stays as it is. */
  decimal(digits: string): string;
  date(at: Date): string;
  /** With the time, in UTC where `timeZone` says so. */
  dateTime(at: Date, timeZone?: 'UTC'): string;
  /** A date or a time in another style. */
  formatDate(at: Date, style: Intl.DateTimeFormatOptions): string;
  /** `a, b`, as the language writes lists in little room; `a and b` or `a or b` for a sentence. */
  list(items: readonly string[], joinedBy?: 'and' | 'or'): string;
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
    list: (items: readonly string[], joinedBy?: 'and' | 'or') =>
      new Intl.ListFormat(
        tag,
        joinedBy === undefined ? { style: 'narrow' } : { type: joinedBy === 'and' ? 'conjunction' : 'disjunction' },
      ).format(items),
  }) as Messages<Source>;
}

/**
 * The parameters of a message in ICU MessageFormat, read from its text by the compiler: `{name}` takes a text, a number or a `Node`,
 * `{count, number}` and `{count, plural, …}` a number, `{at, date}` and `{at, time}` a date, `{kind, select, …}` a text.
 */
type ParamsOf<Text extends string, Node> = Merge<Scan<Text, ['text'], Node>>;

type Merge<Params> = { [Name in keyof Params]: Params[Name] };

type Place = 'text' | 'options';

// Reads on from the first brace. In a text, `{` begins a parameter; among the options of a plural or select, the text of one.
type Scan<
  Text extends string,
  Places extends Place[],
  Node,
  Params = unknown,
> = Text extends `${infer Before}{${infer After}`
  ? Before extends `${string}}${string}`
    ? Close<Text, Places, Node, Params>
    : Places[0] extends 'options'
      ? Scan<After, ['text', ...Places], Node, Params>
      : Parameter<After, Places, Node, Params>
  : Text extends `${string}}${string}`
    ? Close<Text, Places, Node, Params>
    : Params;

type Close<Text extends string, Places extends Place[], Node, Params> = Text extends `${string}}${infer After}`
  ? Places extends [Place, ...infer Outer extends Place[]]
    ? Scan<After, Outer, Node, Params>
    : Params
  : Params;

type Parameter<
  Text extends string,
  Places extends Place[],
  Node,
  Params,
> = Text extends `${infer Inside}}${infer After}`
  ? Inside extends `${infer Name},${infer Kind},${string}{${string}`
    ? Text extends `${string},${string},${infer Options}`
      ? Scan<Options, ['options', ...Places], Node, Params & Record<Trim<Name>, KindOf<Trim<Kind>>>>
      : never
    : Inside extends `${infer Name},${infer Kind},${string}`
      ? Scan<After, Places, Node, Params & Record<Trim<Name>, KindOf<Trim<Kind>>>>
      : Inside extends `${infer Name},${infer Kind}`
        ? Scan<After, Places, Node, Params & Record<Trim<Name>, KindOf<Trim<Kind>>>>
        : Scan<After, Places, Node, Params & Record<Trim<Inside>, string | number | Node>>
  : never;

type KindOf<Kind> = Kind extends 'number' | 'plural' | 'selectordinal'
  ? number
  : Kind extends 'date' | 'time'
    ? Date
    : string;

type Trim<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} ` ? Trim<Rest> : Text;
