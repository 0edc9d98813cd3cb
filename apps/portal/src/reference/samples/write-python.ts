import type { Part, Prepared } from '../try-it/prepare.ts';
import { layouts, list, literal, textLiteral } from './literal.ts';

const { step } = layouts.python;

/** The request with the library `requests`. */
export function writePython({ method, url, headers, body }: Prepared): string {
  const shownHeaders = headers.filter(({ name }) => name !== 'content-type');
  const values = [
    textLiteral(url, 'python'),
    ...(shownHeaders.length === 0 ? [] : [`headers=${list(shownHeaders.map(entry), '{}', step, 'python')}`]),
    ...(body?.kind === 'json' ? [`json=${literal(JSON.parse(body.text), 'python', step)}`] : []),
    ...(body?.kind === 'form' ? [`data=${list(body.fields.map(entry), '{}', step, 'python')}`] : []),
    // A redirect is an answer of its own, and would take the key along.
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
