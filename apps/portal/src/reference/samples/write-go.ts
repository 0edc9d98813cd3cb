import type { Part, Prepared } from '../try-it/prepare.ts';
import { textLiteral } from './literal.ts';

/** The request as a program of Go's standard library. */
export function writeGo({ method, url, headers, body }: Prepared): string {
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
