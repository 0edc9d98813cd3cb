import { readFileSync } from 'node:fs';
import { type Operation, placeOf, wholePageParams } from '@latchkey/kernel';

interface Field {
  type?: string;
  required?: boolean;
}

interface Shape {
  schema?: string | null;
  array?: string;
  page?: string;
  oneOf?: string[];
  inline?: string | Record<string, string>;
}

/** One of the published operations, as existing clients know it. */
export interface InventoryEntry {
  resource: string;
  method: string;
  path: string;
  operationId: string;
  pathParams: { name: string; type: string; required: boolean }[];
  query: { name: string; type: string; required: boolean }[];
  headers: { name: string; type: string; required: boolean }[];
  requestBody: (Shape & { contentType: string; required: boolean }) | null;
  response: Shape & { status: number; describedStatus?: number; contentType?: string };
  scopes: string[];
  paginated: string | null;
  caller: string;
  sdk: { tag: string; method: string; args: string[] } | null;
}

interface Inventory {
  operations: InventoryEntry[];
  schemas: Record<string, { fields: Record<string, Field> }>;
}

const folder = new URL('../../kernel/inventory/', import.meta.url);

export function readInventory(): Inventory {
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  return { operations: read('operations.json'), schemas: read('schemas.json') };
}

/** Returns the operations beyond the published ones, by route, with their ids. They must not be removed. */
export function readOwnOperations(): Record<string, string> {
  return JSON.parse(readFileSync(new URL('own-operations.json', folder), 'utf8'));
}

export function routeOf(entry: Pick<InventoryEntry, 'method' | 'path'>): string {
  return `${entry.method} ${entry.path}`;
}

/** Returns how an operation differs from what existing clients know. Empty if they will not notice a difference. */
export function compareWithInventory(operation: Operation, resourceName: string, inventory: Inventory): string[] {
  const entry = inventory.operations.find((candidate) => routeOf(candidate) === operation.route);
  if (entry === undefined) return ['is not one of the published operations'];
  return [
    ...same('resource', entry.resource, resourceName),
    ...same('operation id', entry.operationId, operation.contract.id),
    ...same(
      'SDK name',
      entry.sdk === null ? operation.contract.sdk : `${entry.sdk.tag}.${entry.sdk.method}`,
      operation.contract.sdk,
    ),
    ...same('scopes', [...entry.scopes].sort().join(' '), [...operation.contract.access.scopes].sort().join(' ')),
    ...same('pagination', entry.paginated ?? 'none', operation.contract.paginated ?? 'none'),
    ...same('status', entry.response.status, operation.answer.status),
    ...compareParams(operation, entry),
    ...compareBody(operation, entry, inventory),
    ...compareAnswer(operation, entry, inventory),
  ];
}

function same(what: string, expected: unknown, actual: unknown): string[] {
  return expected === actual ? [] : [`${what} is ${String(actual)}, published as ${String(expected)}`];
}

function compareParams(operation: Operation, entry: InventoryEntry): string[] {
  const published = [...entry.pathParams, ...entry.query, ...entry.headers];
  const args = entry.sdk?.args.filter((name) => name !== 'requestBody') ?? [];
  // Parameters that the SDK does not pass come after those that it does, so that its arguments keep their positions.
  const known = [...args, ...published.map(({ name }) => name).filter((name) => !args.includes(name))];
  const order = [...known, ...addedPageParams(operation, entry, known)];
  const problems = same('parameter order', order.join(', '), Object.keys(operation.params).join(', '));
  for (const [place, params] of [
    ['path', entry.pathParams],
    ['query', entry.query],
    ['header', entry.headers],
  ] as const) {
    for (const param of params) {
      const schema = operation.params[param.name];
      if (schema === undefined) continue;
      const isRequired = place === 'path' || !('~optional' in schema);
      problems.push(...same(`place of ${param.name}`, place, placeOf(operation, param.name, schema)));
      problems.push(...same(`${param.name} required`, param.required, isRequired));
      problems.push(
        ...same(`type of ${param.name}`, param.type.replace(/<.*/, ''), (schema as { type?: string }).type),
      );
    }
  }
  return problems;
}

/** A list that was published as paginated, but without page parameters, may accept them after all others. */
function addedPageParams(operation: Operation, entry: InventoryEntry, known: readonly string[]): string[] {
  if (entry.paginated !== 'token') return [];
  return Object.keys(wholePageParams).filter((name) => name in operation.params && !known.includes(name));
}

const bodyTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded', raw: 'application/json' };

function compareBody(operation: Operation, entry: InventoryEntry, inventory: Inventory): string[] {
  const { body } = operation;
  if (entry.requestBody === null || body === undefined)
    return same('body', entry.requestBody !== null, body !== undefined);
  return [
    ...same('body required', entry.requestBody.required, body.isOptional !== true),
    ...same('body type', entry.requestBody.contentType, bodyTypes[body.kind]),
    ...compareShape('body', asJson(body.schema), entry.requestBody, inventory, 'optional'),
  ];
}

function compareAnswer(operation: Operation, entry: InventoryEntry, inventory: Inventory): string[] {
  const { answer } = operation;
  if (answer.kind !== 'json') return [];
  if (answer.schema === undefined) return ['the response has no schema'];
  return compareShape('answer', asJson(answer.schema), entry.response, inventory, 'required');
}

interface JsonSchema {
  type?: string;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  anyOf?: JsonSchema[];
}

// A contract's schema is a JSON Schema; only its TypeScript type does not say so.
function asJson(schema: object): JsonSchema {
  return schema;
}

function compareShape(
  what: string,
  schema: JsonSchema,
  shape: Shape,
  inventory: Inventory,
  strictness: 'required' | 'optional',
): string[] {
  if (shape.array !== undefined) {
    if (schema.type !== 'array' || schema.items === undefined)
      return [`${what} is ${schema.type}, published as an array`];
    return compareFields(what, schema.items, inventory.schemas[shape.array]?.fields ?? {}, strictness);
  }
  if (shape.page !== undefined) {
    const items = schema.properties?.items?.items;
    return items === undefined
      ? [`${what} is not a page`]
      : compareFields(what, items, inventory.schemas[shape.page]?.fields ?? {}, strictness);
  }
  if (typeof shape.schema === 'string')
    return compareFields(what, schema, inventory.schemas[shape.schema]?.fields ?? {}, strictness);
  if (typeof shape.inline === 'object') return compareFields(what, schema, inlineFields(shape.inline), strictness);
  return [];
}

/** Inline shapes map names to types, with ! for required; the name * means fields of any name. */
function inlineFields(inline: Record<string, string>): Record<string, Field> {
  return Object.fromEntries(
    Object.entries(inline)
      .filter(([name]) => name !== '*')
      .map(([name, type]) => [name, { type: type.replace(/[!<].*/, ''), required: type.endsWith('!') }]),
  );
}

function compareFields(
  what: string,
  schema: JsonSchema,
  fields: Record<string, Field>,
  strictness: 'required' | 'optional',
): string[] {
  const names = Object.keys(fields);
  const own = Object.keys(schema.properties ?? {});
  const problems = names.filter((name) => !own.includes(name)).map((name) => `${what} lacks the field ${name}`);
  for (const name of names) {
    const isRequired = schema.required?.includes(name) ?? false;
    const published = fields[name]?.required ?? false;
    if (strictness === 'required' && published && !isRequired)
      problems.push(`${what} does not promise ${name}, which was published as required`);
    if (strictness === 'optional' && isRequired && !published)
      problems.push(`${what} requires ${name}, which was published as optional`);
  }
  return problems;
}
