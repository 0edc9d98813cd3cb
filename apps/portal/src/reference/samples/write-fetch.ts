import type { Part, Prepared } from '../try-it/prepare.ts';
import { list, literal, textLiteral } from './literal.ts';

/** Writes the request with `fetch`, for Node.js, Deno, Bun and browsers. */
export function writeFetch({ method, url, headers, body }: Prepared): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: ${list(headers.map(namedValue), '{}', '  ')}`]),
    ...(body?.kind === 'json' ? [`body: JSON.stringify(${literal(JSON.parse(body.text), 'js', '  ')})`] : []),
    ...(body?.kind === 'form' ? [`body: new URLSearchParams(${list(body.fields.map(namedValue), '{}', '  ')})`] : []),
  ];
  const rest = options.length === 0 ? '' : `, ${list(options, '{}', '')}`;
  return [
    `const response = await fetch(${textLiteral(url, 'js')}${rest});`,
    'console.log(response.status, await response.text());',
  ].join('\n');
}

export function namedValue(part: Part): string {
  const name = /^[a-z_]\w*$/i.test(part.name) ? part.name : `'${part.name}'`;
  return `${name}: ${shownValue(part)}`;
}

export function shownValue({ value, secret }: Part): string {
  if (secret === undefined) return textLiteral(value, 'js');
  return secret.prefix === '' ? variableOf(secret.variable) : `\`${secret.prefix}\${${variableOf(secret.variable)}}\``;
}

function variableOf(name: string): string {
  return `process.env.${name}`;
}
