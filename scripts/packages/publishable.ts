import { resources } from '@latchkey/core';
import { fileSchema } from '@latchkey/core/rule-files';
import { describeApi, type EventType, errorCodes, eventData, events, type Resource } from '@latchkey/kernel';
import type { Publishable } from './build-package.ts';

/** The OpenAPI description of the API, as far as the client's types use it. */
interface ApiDescription {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

interface DescribedOperation {
  summary: string;
  parameters: readonly { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
  'x-idempotency-key'?: boolean;
}

type Content = Record<string, { schema: JsonSchema }>;

const form = 'application/x-www-form-urlencoded';

/** Generates the client's `operations.ts` for users without the server: types of every operation, and two lists. */
function operationsText({ paths, components }: ApiDescription): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  );
  const served = operations.filter(({ operation }) => resultText(operation) !== undefined);
  const routesWhere = (holds: (operation: DescribedOperation) => boolean) =>
    served.filter(({ operation }) => holds(operation)).map(({ route }) => route);
  return [
    '/* Generated from the operations of the API. */\n\n',
    ...(served.length === 0 ? [] : ['/** Every operation by its route: what a call takes and what it returns. */\n']),
    'export interface Operations {\n',
    ...served.map(
      ({ route, operation }) =>
        commentText(operation.summary, '  ') +
        `  ${JSON.stringify(route)}: { input: ${inputText(operation)}; result: ${resultText(operation)} };\n`,
    ),
    '}\n\n',
    listText(
      'repeatableRoutes',
      routesWhere((operation) => operation['x-idempotency-key'] === true),
    ),
    listText(
      'formRoutes',
      routesWhere((operation) => operation.requestBody?.content[form] !== undefined),
    ),
    '/** The HTTP status of each error code of the API. */\n',
    `export interface ErrorStatuses {\n${statusesText()}}\n\n`,
    '/** The codes of the API’s errors. */\n',
    'export type ErrorCode = keyof ErrorStatuses;\n\n',
    '/** The data of each event that a webhook sends. */\n',
    `export interface EventData {\n${eventsText()}}\n\n`,
    ...Object.entries(components.schemas).map(
      ([name, schema]) =>
        `${commentText(schema.description, '')}export type ${typeName(name)} = ${typeText(schema)};\n`,
    ),
  ].join('');
}

function statusesText(): string {
  return Object.entries(errorCodes)
    .map(([code, { status, meaning }]) => `${commentText(meaning, '  ')}  ${code}: ${status};\n`)
    .join('');
}

function eventsText(): string {
  // They are plain JSON Schemas.
  const schemas = eventData as Readonly<Record<string, JsonSchema>>;
  return Object.entries(schemas)
    .map(([type, schema]) => `${commentText(events[type as EventType], '  ')}  '${type}': ${typeText(schema, '  ')};\n`)
    .join('');
}

function inputText({ parameters, requestBody }: DescribedOperation): string {
  const fields = parameters.filter((parameter) => parameter.in !== 'header').map(parameterText);
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(parameterText);
  if (headers.length > 0) fields.push(`headers: { ${headers.join(' ')} };`);
  const [content] = Object.values(requestBody?.content ?? {});
  if (requestBody !== undefined && content !== undefined)
    fields.push(`body${requestBody.required ? '' : '?'}: ${bodyText(content.schema)};`);
  return fields.length === 0 ? 'Record<never, never>' : `{ ${fields.join(' ')} }`;
}

/** A signed body is sent as bytes. */
function bodyText(schema: JsonSchema): string {
  return schema.type === 'string' ? 'Uint8Array' : typeText(schema, '  ');
}

function parameterText({ name, required, schema }: DescribedOperation['parameters'][number]): string {
  return `${JSON.stringify(name)}${required ? '' : '?'}: ${typeText(schema, '  ')};`;
}

/** Returns the result type of a call; undefined for event streams, which the client leaves to `fetch`. */
function resultText({ responses }: DescribedOperation): string | undefined {
  if (responses[302] !== undefined) return '{ location: string }';
  if (responses[204] !== undefined) return 'undefined';
  const content = responses[200]?.content ?? {};
  if (content['text/event-stream'] !== undefined) return undefined;
  if (content['image/png'] !== undefined) return 'Uint8Array';
  const json = content['application/json'];
  return json === undefined ? 'unknown' : typeText(json.schema, '  ');
}

function listText(name: string, routes: readonly string[]): string {
  return `export const ${name}: readonly string[] = ${JSON.stringify(routes, undefined, 2)};\n\n`;
}

/** A schema of the API's description, as far as it is used there. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  enum?: readonly unknown[];
  const?: unknown;
}

/** Converts a schema to a TypeScript type. */
export function typeText(schema: JsonSchema, indent = ''): string {
  if (schema.$ref !== undefined) return nameOfRef(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((option) => typeText(option, indent)));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'number':
    case 'null':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return arrayText(schema, indent);
    case 'object':
      return objectText(schema, indent);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`There is no type for a schema of type ${schema.type}.`);
  }
}

/** Converts the name of a component to a valid TypeScript name. */
export function typeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, '_');
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** Returns the description of a field or an operation as a comment. */
function commentText(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

function nameOfRef(ref: string): string {
  return typeName(ref.slice(ref.lastIndexOf('/') + 1));
}

function union(options: readonly string[]): string {
  return [...new Set(options)].join(' | ');
}

function arrayText({ items = {} }: JsonSchema, indent: string): string {
  const item = typeText(items, indent);
  return items.anyOf !== undefined || items.enum !== undefined ? `(${item})[]` : `${item}[]`;
}

function objectText({ properties = {}, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      commentText(schema.description, inner) +
      `${inner}${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeText(schema, inner)};\n`,
  );
  const others = typeof additionalProperties === 'object' ? typeText(additionalProperties, inner) : 'unknown';
  if (fields.length === 0) return `Record<string, ${others}>`;
  if (additionalProperties === true || typeof additionalProperties === 'object')
    fields.push(`${inner}[name: string]: unknown;\n`);
  return `{\n${fields.join('')}${indent}}`;
}

/** The published packages, in the order of their dependencies. */
export const publishable: readonly Publishable[] = [
  {
    folder: 'client',
    // Inferred types need the server's sources; the published client has generated ones.
    generate: () => ({ 'src/operations.ts': operationsText(describe()) }),
    leaveOut: ['src/infer.ts'],
  },
  { folder: 'gate' },
  { folder: 'miniapp', types: ['node'] },
  {
    folder: 'cli',
    tool: { main: 'packages/cli/src/main.ts', worker: 'packages/core/src/gating/rules/queries/worker.ts' },
    files: () => ({ 'dist/latchkey.schema.json': `${JSON.stringify(fileSchema, undefined, 2)}\n` }),
  },
  // None of our packages is on npm yet, so it includes the library.
  { folder: 'create-latchkey-miniapp', bundles: { 'template/': 'miniapp' } },
];

export function describe(): ApiDescription {
  // The described API is plain JSON of this type.
  return describeApi(resources as readonly unknown[] as readonly Resource[], {
    serverUrl: 'http://localhost:3000',
  }) as unknown as ApiDescription;
}
