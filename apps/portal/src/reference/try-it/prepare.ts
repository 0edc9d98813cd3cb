import type { OperationModel, ParameterRow } from '../../../reference/model.ts';
import { type Credential, credentialKinds } from './credential.ts';

/** What the reader typed into the console. Fields are keyed by `keyOf` and by their name in a form. */
export interface Inputs {
  parameters: Readonly<Record<string, string>>;
  form: Readonly<Record<string, string>>;
  json: string;
}

/** A name and its value. If it is secret, a variable replaces the part after the prefix wherever it is shown. */
export interface Part {
  name: string;
  value: string;
  secret?: { prefix: string; variable: string };
}

export interface Prepared {
  method: string;
  url: string;
  headers: Part[];
  body: { kind: 'json'; text: string } | { kind: 'form'; fields: Part[] } | undefined;
}

export type Problems = Readonly<Record<string, string>>;

export const bodyKey = 'body';
export const credentialKey = 'credential';

export function keyOf({ in: place, name }: Pick<ParameterRow, 'in' | 'name'>): string {
  return `${place} ${name}`;
}

/** Whether the content of a field should be masked on screen. */
export function isSecretName(name: string): boolean {
  return /secret|password|assertion|authentication|(?:^|_)token$|^code(?:_verifier)?$/i.test(name);
}

export function isForm(operation: OperationModel): boolean {
  return operation.body?.type === 'application/x-www-form-urlencoded';
}

/** Returns the request of the inputs, or what is wrong with them, by field. */
export function prepare(
  operation: OperationModel,
  inputs: Inputs,
  address: string,
  credential: Credential,
): { prepared: Prepared } | { problems: Problems } {
  const problems: Record<string, string> = {};
  for (const parameter of operation.parameters) {
    const problem = problemOf(parameter, textOf(inputs, parameter));
    if (problem !== undefined) problems[keyOf(parameter)] = problem;
  }
  const jsonProblem = isForm(operation) ? undefined : problemOfJson(operation, inputs.json);
  if (jsonProblem !== undefined) problems[bodyKey] = jsonProblem;
  for (const { name, required, depth } of isForm(operation) ? (operation.body?.fields ?? []) : []) {
    if (depth === 0 && required && (inputs.form[name] ?? '').trim() === '') problems[name] = 'This field is required.';
  }
  if (credential.kind !== 'none' && !/^[\x21-\x7e]+$/.test(credential.secret.trim()))
    problems[credentialKey] = 'Enter the key or token, without spaces, or choose None.';
  else if (credential.kind === 'application' && !/^[^:]+:.+$/.test(credential.secret.trim()))
    problems[credentialKey] = 'Enter the client id, a colon and the client secret.';
  if (Object.keys(problems).length > 0) return { problems };
  const body = bodyOf(operation, inputs);
  return {
    prepared: {
      method: operation.method,
      url: `${address}${pathOf(operation, inputs)}${queryOf(operation, inputs)}`,
      headers: [...headersOf(operation, inputs), ...typeOf(body), ...credentialOf(credential)],
      body,
    },
  };
}

function textOf({ parameters }: Inputs, parameter: ParameterRow): string {
  return (parameters[keyOf(parameter)] ?? '').trim();
}

function problemOf({ in: place, required, type }: ParameterRow, text: string): string | undefined {
  if (text === '') return required || place === 'path' ? 'This parameter is required.' : undefined;
  if ((type === 'number' || type === 'integer') && !Number.isFinite(Number(text))) return 'This is a number.';
  if (place === 'header' && !/^[\x20-\x7e]*$/.test(text)) return 'A header has plain characters only, in one line.';
  // Browsers treat these as steps in the path, however they are encoded.
  if (place === 'path' && /^\.{1,2}$/.test(text)) return 'This cannot be part of a path.';
  return undefined;
}

function problemOfJson({ body }: OperationModel, text: string): string | undefined {
  if (body === undefined) return undefined;
  if (text.trim() === '') return body.required ? 'This operation needs a body.' : undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read.'}`;
  }
}

function pathOf({ path, parameters }: OperationModel, inputs: Inputs): string {
  return path.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return parameter === undefined ? whole : encodeURIComponent(textOf(inputs, parameter));
  });
}

function queryOf({ parameters }: OperationModel, inputs: Inputs): string {
  const query = new URLSearchParams();
  for (const parameter of parameters.filter((one) => one.in === 'query')) {
    const text = textOf(inputs, parameter);
    const values = parameter.type.endsWith('[]') ? text.split(/\s*\n\s*/) : [text];
    for (const value of values) if (value !== '') query.append(parameter.name, value);
  }
  return query.size === 0 ? '' : `?${query}`;
}

function headersOf({ parameters }: OperationModel, inputs: Inputs): Part[] {
  return parameters
    .filter((one) => one.in === 'header')
    .flatMap((parameter) => {
      const value = textOf(inputs, parameter);
      return value === '' ? [] : [partOf(parameter.name.toLowerCase(), value)];
    });
}

function bodyOf(operation: OperationModel, inputs: Inputs): Prepared['body'] {
  if (operation.body === undefined) return undefined;
  if (!isForm(operation)) return inputs.json.trim() === '' ? undefined : { kind: 'json', text: inputs.json };
  const fields = operation.body.fields.flatMap(({ name, depth }) => {
    const value = inputs.form[name] ?? '';
    return depth > 0 || value === '' ? [] : [partOf(name, value)];
  });
  return { kind: 'form', fields };
}

function partOf(name: string, value: string): Part {
  if (!isSecretName(name)) return { name, value };
  return { name, value, secret: { prefix: '', variable: name.toUpperCase().replace(/[^A-Z0-9]+/g, '_') } };
}

function typeOf(body: Prepared['body']): Part[] {
  if (body === undefined) return [];
  return [
    { name: 'content-type', value: body.kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded' },
  ];
}

function credentialOf({ kind, secret }: Credential): Part[] {
  if (kind === 'none') return [];
  const { header, prefix, variable } = credentialKinds[kind];
  const value = kind === 'application' ? btoa(secret.trim()) : secret.trim();
  return [{ name: header, value: `${prefix}${value}`, secret: { prefix, variable } }];
}
