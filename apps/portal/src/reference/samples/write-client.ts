import type { OperationModel, ParameterRow } from '../../../reference/model.ts';
import { type Inputs, keyOf, type Part, type Prepared } from '../try-it/prepare.ts';
import { list, literal, textLiteral } from './literal.ts';
import { namedValue, shownValue } from './write-fetch.ts';

export interface Call {
  operation: OperationModel;
  inputs: Inputs;
  prepared: Prepared;
  address: string;
}

/** Writes the request with the typed client, `@latchkey/client`. */
export function writeClient({ operation, inputs, prepared, address }: Call): string {
  const input = [...parametersOf(operation, inputs), ...headersOf(prepared), ...bodyOf(prepared)];
  const route = textLiteral(`${operation.method} ${operation.path}`, 'js');
  const options = [`baseUrl: ${textLiteral(address, 'js')}`, ...credentialOf(prepared.headers)];
  return [
    "import { createClient } from '@latchkey/client';",
    '',
    `const call = createClient(${list(options, '{}', '')});`,
    `const result = await call(${route}${input.length === 0 ? '' : `, ${list(input, '{}', '')}`});`,
    'console.log(result);',
  ].join('\n');
}

function parametersOf({ parameters }: OperationModel, inputs: Inputs): string[] {
  return parameters
    .filter((one) => one.in !== 'header')
    .flatMap((parameter) => {
      const text = inputs.parameters[keyOf(parameter)] ?? '';
      return text === '' ? [] : [field(parameter.name, typed(parameter, text))];
    });
}

function typed({ type }: ParameterRow, text: string): unknown {
  if (type === 'number' || type === 'integer') return Number(text);
  if (type === 'boolean') return text === 'true';
  return type.endsWith('[]') ? text.split(/\s*\n\s*/) : text;
}

/** Returns the headers that the client does not set itself. */
function headersOf({ headers }: Prepared): string[] {
  const given = headers.filter(({ name }) => !['content-type', 'x-api-key', 'authorization'].includes(name));
  return given.length === 0 ? [] : [`headers: ${list(given.map(namedValue), '{}', '  ')}`];
}

function bodyOf({ body }: Prepared): string[] {
  if (body === undefined) return [];
  if (body.kind === 'json') return [`body: ${literal(JSON.parse(body.text), 'js', '  ')}`];
  return [`body: ${list(body.fields.map(namedValue), '{}', '  ')}`];
}

function field(name: string, value: unknown): string {
  const fields = literal({ [name]: value }, 'js', '').replace(/^\{\s*|,?\s*\}$/g, '');
  return fields;
}

/** A credential header becomes an option of the client. */
function credentialOf(headers: readonly Part[]): string[] {
  return headers.flatMap((part) => {
    if (part.name === 'x-api-key') return [`apiKey: ${shownValue(part)}`];
    if (part.name !== 'authorization') return [];
    const [scheme = ''] = part.value.split(' ');
    const bare = {
      ...part,
      value: part.value.slice(scheme.length + 1),
      ...(part.secret && { secret: { ...part.secret, prefix: '' } }),
    };
    return [`${scheme === 'AE' ? 'aeToken' : 'accessToken'}: ${shownValue(bare)}`];
  });
}
