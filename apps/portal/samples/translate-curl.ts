import { list, textLiteral } from '../src/reference/samples/literal.ts';
import { readCurl } from './read-curl.ts';
import { splitShell } from './split-shell.ts';

export interface Translation {
  typescript: string;
  python: string;
}

/** Stand around the name of a variable while a command is read. JSON takes them, and no sample has them. */
const [open, close] = ['\uE000', '\uE001'];
const variable = /\uE000(\w+)\uE001/;

interface Dialect {
  words: Readonly<Record<'null' | 'true' | 'false', string>>;
  text(parts: readonly Part[]): string;
  name(name: string): string;
}

type Part = { text: string } | { variable: string };

const typescript: Dialect = {
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
  words: { null: 'None', true: 'True', false: 'False' },
  name: (name) => textLiteral(name, 'python'),
  text: (parts) =>
    parts
      .map((part) => ('text' in part ? textLiteral(part.text, 'python') : `os.environ["${part.variable}"]`))
      .join(' + '),
};

/** The same request in TypeScript and in Python; undefined for a sample that is more than one plain request. */
export function translateCurl(sample: string): Translation | undefined {
  const lines = splitShell(sample).flatMap((line) => ('words' in line ? [line.words] : []));
  const [command] = lines;
  if (command === undefined || lines.length > 1) return undefined;
  const [program, ...words] = command.map((word) =>
    word.map((piece) => ('text' in piece ? piece.text : `${open}${piece.variable}${close}`)).join(''),
  );
  // A password in base64, or a variable to be encoded, is more than these lines would show.
  if (program !== 'curl' || words.some((word) => word === '-u' || word === '--data-urlencode')) return undefined;
  const { method, url, headers, body } = readCurl(words);
  const isJson = headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'));
  if (body !== undefined && !isJson) return undefined;
  const value = body === undefined ? undefined : readJson(body);
  if (body !== undefined && value === undefined) return undefined;
  return { typescript: writeTypescript(), python: writePython() };

  function writeTypescript(): string {
    const entries = headers.map(([name, text]) => `${typescript.name(name)}: ${write(text, typescript)}`);
    const options = [
      ...(method === 'GET' ? [] : [`method: '${method}'`]),
      ...(entries.length === 0 ? [] : [`headers: ${list(entries, '{}', '  ')}`]),
      ...(value === undefined ? [] : [`body: JSON.stringify(${write(value, typescript, '  ')})`]),
    ];
    const rest = options.length === 0 ? '' : `, ${list(options, '{}', '')}`;
    return [
      `const response = await fetch(${write(url, typescript)}${rest});`,
      'console.log(response.status, await response.json());',
    ].join('\n');
  }

  function writePython(): string {
    // The library writes the type of what it is given as json.
    const shown = headers.filter(([name]) => value === undefined || name !== 'content-type');
    const entries = shown.map(([name, text]) => `"${name}": ${write(text, python)}`);
    const values = [
      write(url, python),
      ...(entries.length === 0 ? [] : [`headers=${list(entries, '{}', '  ')}`]),
      ...(value === undefined ? [] : [`json=${write(value, python, '  ')}`]),
    ];
    return [
      'import os',
      'import requests',
      '',
      `response = requests.${method.toLowerCase()}${list(values, '()', '')}`,
      'print(response.status_code, response.json())',
    ].join('\n');
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as the language writes it, with its variables. */
function write(value: unknown, dialect: Dialect, indent = ''): string {
  if (typeof value === 'string') return dialect.text(partsOf(value));
  if (value === null || typeof value === 'boolean') return dialect.words[`${value}`];
  if (typeof value !== 'object') return String(value);
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return list(
      value.map((item) => write(item, dialect, inner)),
      '[]',
      indent,
    );
  const fields = Object.entries(value).map(
    ([name, field]) => `${nameOf(name, dialect)}: ${write(field, dialect, inner)}`,
  );
  return list(fields, '{}', indent);
}

/** The name of a field, which may be a variable too. */
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
