import { resources } from '@latchkey/core';
import type { Operation, Resource } from '@latchkey/kernel';
import { Ajv, type ValidateFunction } from 'ajv';

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
export function contractProblems(operation: Operation, part: 'body' | 'answer', value: unknown): string[] {
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
