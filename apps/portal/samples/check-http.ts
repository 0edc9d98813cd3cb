import { resources } from '@latchkey/core';
import { readRule } from '@latchkey/core/facts';
import { type Operation, placeOf, type Resource } from '@latchkey/kernel';
import { Ajv, type ValidateFunction } from 'ajv';
import { type Problem, problemAt, type Sample } from './read-samples.ts';

/** Looks whether a request that is written out names an operation, with parameters and a body that it takes. */
export function checkHttp(sample: Sample): Problem[] {
  const [head = '', ...rest] = sample.text.split(/\n\s*\n/);
  const body = rest.join('\n\n').trim();
  const [requestLine = '', ...headers] = head.split('\n');
  // What a reader fills in, such as `<client id>`, is one part of the path.
  const [, method = '', target = ''] = /^([A-Z]+) (\/(?:<[^>]+>|\S)*)(?: HTTP\/1\.1)?$/.exec(requestLine) ?? [];
  const [path = '', query = ''] = target.split('?');
  const operation = findOperation(method, path);
  if (operation === undefined) return [problemAt(sample, `"${requestLine}" is a request to no operation`)];
  const problems = headers.flatMap((header, index) =>
    /^[\w-]+: \S/.test(header) ? [] : [problemAt(sample, `"${header}" is no header`, index + 1)],
  );
  for (const name of new URLSearchParams(query).keys()) {
    const schema = operation.params[name];
    if (schema === undefined || placeOf(operation, name, schema) !== 'query')
      problems.push(problemAt(sample, `${operation.route} has no parameter ${name}`));
  }
  if (body === '') return problems;
  const bodyLine = head.split('\n').length + 1;
  try {
    const texts = operation.body?.kind === 'json' ? valueProblems(operation, 'body', JSON.parse(body)) : [];
    return [...problems, ...texts.map((text) => problemAt(sample, text, bodyLine))];
  } catch (error) {
    return [...problems, problemAt(sample, `has a body that is not JSON: ${error}`, bodyLine)];
  }
}

/** Holds a JSON sample to the operation that its `schema` names. */
export function checkJson(sample: Sample): Problem[] {
  let value: unknown;
  try {
    value = JSON.parse(sample.text);
  } catch (error) {
    return [problemAt(sample, `is not JSON: ${error instanceof Error ? error.message : error}`)];
  }
  if (sample.schema === undefined) return [];
  const [, method, path, part] = /^([A-Z]+) (\/\S*) (body|answer)$/.exec(sample.schema) ?? [];
  const operation = findOperation(method ?? '', path ?? '');
  if (operation === undefined || operation.path !== path || (part !== 'body' && part !== 'answer'))
    return [problemAt(sample, `schema="${sample.schema}" names no operation with "body" or "answer" behind it`)];
  return valueProblems(operation, part, value).map((text) => problemAt(sample, text));
}

/** What is wrong with a value by the schema of its operation and, where it has rules, by what the rules engine reads. */
function valueProblems(operation: Operation, part: 'body' | 'answer', value: unknown): string[] {
  const problems = contractProblems(operation, part, value);
  return problems.length > 0 || part === 'answer' ? problems : rulesIn(operation, value).flatMap(ruleProblems);
}

function rulesIn({ path }: Operation, body: unknown): unknown[] {
  if (/^\/communities\/\{id\}\/tpcs/.test(path)) return [body];
  return path === '/access-control/check-roles' ? Object(body).rules : [];
}

function ruleProblems(rule: unknown): string[] {
  try {
    readRule(rule);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Every operation there is, without the types that only its own verb needs. */
const operations: readonly Operation[] = (resources as readonly Resource[]).flatMap((resource) => resource.operations);

/** The operation that a path belongs to: a pattern such as `/communities/{id}`, or a path as clients send it. */
export function findOperation(method: string, path: string): Operation | undefined {
  const fitting = operations.filter((candidate) => candidate.method === method && fits(candidate.path, path));
  // A path that is written out goes before a pattern that it fits as well.
  return fitting.sort((a, b) => parametersIn(a.path) - parametersIn(b.path))[0];
}

const parametersIn = (path: string) => path.split('{').length;

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part === given[index] || (part.startsWith('{') && given[index] !== ''))
  );
}

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const validators = new Map<object, ValidateFunction>();

/** What keeps a value from being a body that the operation takes, or an answer that it gives; empty when nothing does. */
function contractProblems(operation: Operation, part: 'body' | 'answer', value: unknown): string[] {
  const schema = part === 'body' ? operation.body?.schema : operation.answer.schema;
  if (schema === undefined) return [`${operation.route} has no ${part} in JSON`];
  const validate = validators.get(schema) ?? ajv.compile(closeObjects(schema));
  validators.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [`${part} of ${operation.route}`, instancePath, message, JSON.stringify(params)].join(' '),
  );
}

/** The server drops what a schema does not name, of bodies and of answers: on a page that would be a mistake. */
function closeObjects(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema, (_key, node: unknown) => {
      if (typeof node !== 'object' || node === null || !('properties' in node) || 'additionalProperties' in node)
        return node;
      return 'type' in node && node.type === 'object' ? { ...node, additionalProperties: false } : node;
    }),
  );
}
