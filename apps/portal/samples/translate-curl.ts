import { layouts, list, textLiteral } from '../src/reference/samples/literal.ts';
import { type CurlWords, readCurlWords, readField } from './read-curl.ts';
import { splitShell, type Word, wordText } from './split-shell.ts';

export interface Translation {
  typescript: string;
  python: string;
}

/** Mark the name of a variable while a command is parsed. JSON allows them, and no sample contains them. */
const [open, close] = ['\uE000', '\uE001'];
const variable = /\uE000(\w+)\uE001/;

interface Dialect {
  layout: keyof typeof layouts;
  words: Readonly<Record<'null' | 'true' | 'false', string>>;
  text(parts: readonly Part[]): string;
  name(name: string): string;
}

type Part = { text: string } | { variable: string };

const typescript: Dialect = {
  layout: 'js',
  words: { null: 'null', true: 'true', false: 'false' },
  name: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : textLiteral(name, 'js')),
  text(parts) {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined && 'text' in only) return textLiteral(only.text, 'js');
    if (parts.length === 1 && only !== undefined && 'variable' in only) return `process.env.${only.variable}`;
    const inner = parts.map((part) =>
      'text' in part ? escapeTemplate(part.text) : `\${process.env.${part.variable}}`,
    );
    return `\`${inner.join('')}\``;
  },
};

const python: Dialect = {
  layout: 'python',
  words: { null: 'None', true: 'True', false: 'False' },
  name: (name) => textLiteral(name, 'python'),
  text: (parts) =>
    parts
      .map((part) => ('text' in part ? textLiteral(part.text, 'python') : `os.environ["${part.variable}"]`))
      .join(' + '),
};

/** Returns the same requests in TypeScript and in Python; undefined for a sample that also does something else. */
export function translateCurl(sample: string): Translation | undefined {
  const commands = splitShell(sample).flatMap((line) => ('words' in line ? [line.words] : []));
  // A stream is not one response that a short program reads to its end.
  if (commands.some((words) => words.some((word) => wordText(word) === '-sN'))) return undefined;
  const calls = commands.map(readCall);
  if (calls.length === 0 || !calls.every((call) => call !== undefined)) return undefined;
  const isAlone = calls.length === 1;
  return {
    typescript: calls.map((call) => writeTypescript(call, isAlone)).join('\n'),
    python: ['import os', '', 'import requests', '', ...calls.map((call) => writePython(call, isAlone))].join('\n'),
  };
}

/** Returns the method and the path of a sample's first request, with variable names in the path. */
export function firstRequestOf(sample: string): { method: string; path: string } | undefined {
  const [command] = splitShell(sample).flatMap((line) => ('words' in line ? [line.words] : []));
  const call = command === undefined ? undefined : readCall(command);
  const [, path] = /^\uE000LATCHKEY_URL\uE001(\/[^?]*)/.exec(call?.url ?? '') ?? [];
  return call === undefined || path === undefined ? undefined : { method: call.method, path };
}

interface Call extends Pick<CurlWords, 'url' | 'headers' | 'user'> {
  method: string;
  query: [string, string][];
  /** The JSON body, or the fields of a form. */
  json: unknown;
  form: [string, string][];
}

function readCall(command: readonly Word[]): Call | undefined {
  const [program, ...words] = command.map((word) =>
    word.map((piece) => ('text' in piece ? piece.text : `${open}${piece.variable}${close}`)).join(''),
  );
  if (program !== 'curl') return undefined;
  const { url, method, headers, user, data, isQuery } = readCurlWords(words);
  const common = { url, headers, user, query: [], json: undefined, form: [] };
  if (data.length === 0) return { ...common, method: method ?? 'GET' };
  if (headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'))) {
    const json = data.length === 1 ? readJson(data[0]?.text ?? '') : undefined;
    return json === undefined ? undefined : { ...common, method: method ?? 'POST', json };
  }
  const fields = data.map(({ text }) => readField(text)).filter((field) => field !== undefined);
  if (fields.length !== data.length) return undefined;
  return isQuery
    ? { ...common, method: method ?? 'GET', query: fields }
    : { ...common, method: method ?? 'POST', form: fields };
}

function writeTypescript({ url, method, headers, user, query, json, form }: Call, isAlone: boolean): string {
  const record = (fields: readonly [string, string][], indent: string) =>
    list(
      fields.map(([name, text]) => `${typescript.name(name)}: ${write(text, typescript)}`),
      '{}',
      indent,
    );
  const basic = user === undefined ? [] : [`authorization: \`Basic \${btoa(${write(user, typescript)})}\``];
  const entries = [...headers.map(([name, text]) => `${typescript.name(name)}: ${write(text, typescript)}`), ...basic];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(entries.length === 0 ? [] : [`headers: ${list(entries, '{}', '  ')}`]),
    ...(json === undefined ? [] : [`body: JSON.stringify(${write(json, typescript, '  ')})`]),
    ...(form.length === 0 ? [] : [`body: new URLSearchParams(${record(form, '  ')})`]),
  ];
  const address =
    query.length === 0
      ? write(url, typescript)
      : `${write(`${url}?`, typescript)} + new URLSearchParams(${record(query, '')})`;
  const call = `fetch(${address}${options.length === 0 ? '' : `, ${list(options, '{}', '')}`})`;
  const read = readsJson({ method, form }) ? 'json()' : 'text()';
  return isAlone
    ? [`const response = await ${call};`, `console.log(response.status, await response.${read});`].join('\n')
    : `console.log(await (await ${call}).${read});`;
}

function writePython({ url, method, headers, user, query, json, form }: Call, isAlone: boolean): string {
  const record = (fields: readonly [string, string][]) =>
    list(
      fields.map(([name, text]) => `"${name}": ${write(text, python)}`),
      '{}',
      layouts.python.step,
      'python',
    );
  // The library sets the content type of JSON.
  const shown = headers.filter(([name]) => json === undefined || name !== 'content-type');
  const [name = '', password = ''] = user?.split(':') ?? [];
  const values = [
    write(url, python),
    ...(shown.length === 0 ? [] : [`headers=${record(shown)}`]),
    ...(user === undefined ? [] : [`auth=(${write(name, python)}, ${write(password, python)})`]),
    ...(query.length === 0 ? [] : [`params=${record(query)}`]),
    ...(json === undefined ? [] : [`json=${write(json, python, layouts.python.step)}`]),
    ...(form.length === 0 ? [] : [`data=${record(form)}`]),
  ];
  const call = `requests.${method.toLowerCase()}${list(values, '()', '', 'python')}`;
  const read = readsJson({ method, form }) ? 'json()' : 'text';
  return isAlone
    ? [`response = ${call}`, `print(response.status_code, response.${read})`].join('\n')
    : `print(${call}.${read})`;
}

/** A write, or a token revocation by form, may return an empty response, which is not JSON. */
function readsJson({ method, form }: Pick<Call, 'method' | 'form'>): boolean {
  return method === 'GET' || (method === 'POST' && form.length === 0);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Formats a value in the language, with its variables. */
function write(value: unknown, dialect: Dialect, indent = ''): string {
  if (typeof value === 'string') return dialect.text(partsOf(value));
  if (value === null || typeof value === 'boolean') return dialect.words[`${value}`];
  if (typeof value !== 'object') return String(value);
  const inner = indent + layouts[dialect.layout].step;
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, dialect, inner));
    return list(items, '[]', indent, dialect.layout);
  }
  const fields = Object.entries(value).map(
    ([name, field]) => `${nameOf(name, dialect)}: ${write(field, dialect, inner)}`,
  );
  return list(fields, '{}', indent, dialect.layout);
}

/** Returns the name of a field, which may also be a variable. */
function nameOf(name: string, dialect: Dialect): string {
  if (!variable.test(name)) return dialect.name(name);
  const text = dialect.text(partsOf(name));
  return dialect === typescript ? `[String(${text})]` : text;
}

function partsOf(text: string): Part[] {
  const pieces = text.split(new RegExp(variable, 'g'));
  const parts = pieces.map((piece, index): Part => (index % 2 === 1 ? { variable: piece } : { text: piece }));
  const filled = parts.filter((part) => 'variable' in part || part.text !== '');
  return filled.length === 0 ? [{ text: '' }] : filled;
}

function escapeTemplate(text: string): string {
  return text.replaceAll(/[`\\]|\$(?=\{)/g, (letter) => `\\${letter}`);
}
