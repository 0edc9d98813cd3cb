/**
 * The parameters of a message in ICU MessageFormat, read from its text by the compiler: `{name}` takes a text, a number or a `Node`,
 * `{count, number}` and `{count, plural, …}` a number, `{at, date}` and `{at, time}` a date, `{kind, select, …}` a text.
 */
export type ParamsOf<Text extends string, Node> = Merge<Scan<Text, ['text'], Node>>;

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
