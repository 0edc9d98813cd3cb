import { resources } from '@latchkey/core';
import { readRule } from '@latchkey/core/facts';
import { type Operation, placeOf, type Resource } from '@latchkey/kernel';
import { Ajv, type ValidateFunction } from 'ajv';
import { type Problem, problemAt, type Sample } from './read-samples.ts';

/** Checks that a written-out request matches an operation, with valid parameters and body. */
export function checkHttp(sample: Sample): Problem[] {
  const [head = '', ...rest] = sample.text.split(/\n\s*\n/);
  const body = rest.join('\n\n').trim();
  const [requestLine = '', ...headers] = head.split('\n');
  // A placeholder, such as `<client id>`, is one part of the path.
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

/** Checks a JSON sample against the operation in its `schema`. */
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

/** Returns what is wrong with a value by the schema of its operation and, for rules, by the rules engine. */
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

/** All operations, without the types that only their handlers need. */
const operations: readonly Operation[] = (resources as readonly Resource[]).flatMap((resource) => resource.operations);

/** Finds the operation of a path: a pattern such as `/communities/{id}`, or a path as clients send it. */
export function findOperation(method: string, path: string): Operation | undefined {
  const fitting = operations.filter((candidate) => candidate.method === method && fits(candidate.path, path));
  // A literal path takes precedence over a pattern that it also matches.
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

/** Returns why a value is not a valid body or response of the operation; empty if it is valid. */
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

/** The server drops fields that a schema does not have, in bodies and responses: on a page that would be a mistake. */
function closeObjects(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema, (_key, node: unknown) => {
      if (typeof node !== 'object' || node === null || !('properties' in node) || 'additionalProperties' in node)
        return node;
      return 'type' in node && node.type === 'object' ? { ...node, additionalProperties: false } : node;
    }),
  );
}
