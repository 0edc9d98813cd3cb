import type { Part, Prepared } from './prepare.ts';

/** Writes the same request for a shell. Variables replace secrets, so that the line can be shown and stored. */
export function writeCurl({ method, url, headers, body }: Prepared): string {
  return [
    `curl -s -X ${method} ${quote(url)}`,
    ...headers
      .filter(({ name }) => body?.kind !== 'form' || name !== 'content-type')
      .map((part) => `-H ${shown(part, ': ')}`),
    ...(body?.kind === 'json' ? [`--data ${quote(body.text)}`] : []),
    ...(body?.kind === 'form' ? body.fields.map((part) => `--data-urlencode ${shown(part, '=')}`) : []),
  ].join(' \\\n  ');
}

function shown({ name, value, secret }: Part, separator: string): string {
  return secret === undefined
    ? quote(`${name}${separator}${value}`)
    : `"${name}${separator}${secret.prefix}$${secret.variable}"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
