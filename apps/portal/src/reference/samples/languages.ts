import type { Part, Prepared } from '../try-it/prepare.ts';
import { writeCurl } from '../try-it/write-curl.ts';
import { layouts, list, literal, textLiteral } from './literal.ts';
import { type Call, writeClient } from './write-client.ts';
import { writeFetch } from './write-fetch.ts';

const { step } = layouts.python;

/** Writes the request with the library `requests`. */
function writePython({ method, url, headers, body }: Prepared): string {
  const shownHeaders = headers.filter(({ name }) => name !== 'content-type');
  const values = [
    textLiteral(url, 'python'),
    ...(shownHeaders.length === 0 ? [] : [`headers=${list(shownHeaders.map(entry), '{}', step, 'python')}`]),
    ...(body?.kind === 'json' ? [`json=${literal(JSON.parse(body.text), 'python', step)}`] : []),
    ...(body?.kind === 'form' ? [`data=${list(body.fields.map(entry), '{}', step, 'python')}`] : []),
    // A redirect is a response in itself, and following it would send the key along.
    'allow_redirects=False',
  ];
  const usesVariables = [...headers, ...(body?.kind === 'form' ? body.fields : [])].some(({ secret }) => secret);
  return [
    ...(usesVariables ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}${list(values, '()', '', 'python')}`,
    'print(response.status_code, response.text)',
  ].join('\n');
}

function entry({ name, value, secret }: Part): string {
  const shown =
    secret === undefined
      ? textLiteral(value, 'python')
      : `${secret.prefix === '' ? '' : `${textLiteral(secret.prefix, 'python')} + `}os.environ["${secret.variable}"]`;
  return `"${name}": ${shown}`;
}

/** The languages that examples are shown in. */
export const languages = {
  curl: { title: 'curl', write: ({ prepared }: Call) => writeCurl(prepared) },
  client: { title: 'TypeScript, @latchkey/client', write: writeClient },
  fetch: { title: 'TypeScript, fetch', write: ({ prepared }: Call) => writeFetch(prepared) },
  python: { title: 'Python', write: ({ prepared }: Call) => writePython(prepared) },
  go: { title: 'Go', write: ({ prepared }: Call) => writeGo(prepared) },
} as const;

export type Language = keyof typeof languages;
export const languageNames = ['curl', 'client', 'fetch', 'python', 'go'] as const satisfies readonly Language[];

/** Writes the request as a program with Go's standard library. */
function writeGo({ method, url, headers, body }: Prepared): string {
  const parts = [...headers, ...(body?.kind === 'form' ? body.fields : [])];
  const imports = [
    'fmt',
    'io',
    'net/http',
    ...(body?.kind === 'form' ? ['net/url'] : []),
    ...(parts.some(({ secret }) => secret) ? ['os'] : []),
    ...(body === undefined ? [] : ['strings']),
  ];
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...bodyLines(body),
    `\trequest, err := http.NewRequest("${method}", ${textLiteral(url, 'go')}, ${readerOf(body)})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    ...headers.map((part) => `\trequest.Header.Set("${part.name}", ${shownValue(part)})`),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\ttext, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Println(response.Status, string(text))',
    '}',
  ].join('\n');
}

function bodyLines(body: Prepared['body']): string[] {
  if (body === undefined) return [];
  if (body.kind === 'json')
    return [`\tbody := ${body.text.includes('`') ? textLiteral(body.text, 'go') : `\`${body.text}\``}`];
  return ['\tform := url.Values{}', ...body.fields.map((part) => `\tform.Set("${part.name}", ${shownValue(part)})`)];
}

function readerOf(body: Prepared['body']): string {
  if (body === undefined) return 'nil';
  return `strings.NewReader(${body.kind === 'json' ? 'body' : 'form.Encode()'})`;
}

function shownValue({ value, secret }: Part): string {
  if (secret === undefined) return textLiteral(value, 'go');
  return `${secret.prefix === '' ? '' : `${textLiteral(secret.prefix, 'go')}+`}os.Getenv("${secret.variable}")`;
}
