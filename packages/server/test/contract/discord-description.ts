import { readFile } from 'node:fs/promises';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** An exchange as the Discord emulator publishes it. */
export interface Exchange {
  method: string;
  url: string;
  userAgent?: string;
  contentType?: string;
  body: string;
  status: number;
  reply?: string;
}

type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Json;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, Described | undefined>;
}

interface Described {
  content?: Record<string, { schema: Json }>;
  $ref?: string;
}

type PathItem = { parameters?: Parameter[] } & Record<string, Operation | undefined>;

/** Discord's description of its HTTP API, as OpenAPI 3.1. */
export interface Description {
  /** What is wrong with an exchange: with the request, or with the emulator's response. */
  check(exchange: Exchange): { route: string; problems: string[] };
}

export async function readDescription(file: string): Promise<Description> {
  const document = JSON.parse(await readFile(file, 'utf8')) as {
    paths: Record<string, PathItem>;
    components: Json & { responses: Record<string, Described> };
  };
  const replies = compilerOf(document.components);
  // Discord ignores fields that it does not know, so a misspelled one would go unnoticed: in requests, none is accepted.
  const requests = compilerOf(closed(document.components) as Json);
  const templates = Object.entries(document.paths)
    // A fixed segment takes precedence over a parameter.
    .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
    .map(([template, item]) => ({ template, item, pattern: patternOf(template) }));
  return {
    check: (exchange) => {
      const { pathname, searchParams } = new URL(exchange.url, 'http://discord.invalid');
      const [, version, path = ''] = /^(\/v\d+)?(\/.*)$/.exec(pathname) ?? [];
      const found = templates.find(({ pattern }) => pattern.test(path));
      const operation = found?.item[exchange.method.toLowerCase()];
      if (found === undefined || operation === undefined)
        return { route: `${exchange.method} ${path}`, problems: ['is not described'] };
      const parameters = [...(found.item.parameters ?? []), ...(operation.parameters ?? [])];
      const values = found.pattern.exec(path)?.groups ?? {};
      const problems = [
        ...(version === '/v10' ? [] : [`has the version ${version ?? 'of the default'}, which is not described`]),
        ...checkParameters(requests, parameters, 'path', new Map(Object.entries(values))),
        ...checkParameters(requests, parameters, 'query', searchParams),
        // A body that a program wrote is passed on as it is. Refusing it is Discord's part, and so the emulator's.
        ...(exchange.status === 400 ? [] : checkBody(requests, operation, exchange)),
        ...checkReply(replies, operation, exchange, document.components.responses),
      ];
      return { route: `${exchange.method} ${found.template}`, problems };
    },
  };
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/[.@]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

type Compile = (schema: Json) => ValidateFunction;

function compilerOf(components: Json): Compile {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  const bounded = (least: bigint, most: bigint) => (value: number) =>
    Number.isInteger(value) && BigInt(value) >= least && BigInt(value) <= most;
  ajv.addFormat('int32', { type: 'number', validate: bounded(-(2n ** 31n), 2n ** 31n - 1n) });
  ajv.addFormat('int64', { type: 'number', validate: bounded(-(2n ** 63n), 2n ** 63n - 1n) });
  ajv.addFormat('double', { type: 'number', validate: Number.isFinite });
  ajv.addFormat('snowflake', (text: string) => /^\d+$/.test(text) && BigInt(text) < 2n ** 64n);
  ajv.addFormat('date-time', (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)));
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat('nonce', (text: string) => text.length <= 25);
  const compiled = new Map<Json, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema) ?? ajv.compile({ ...schema, components });
    compiled.set(schema, known);
    return known;
  };
}

/** The same schemas without room for fields that they do not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  if (!('properties' in inner)) return inner;
  const properties = Object.entries(Object(inner.properties) as Json).map(([name, property]) => [
    name,
    bitFields.has(name) ? { anyOf: [property, { type: 'string', pattern: '^(0|[1-9][0-9]*)$' }] } : property,
  ]);
  return { additionalProperties: false, ...inner, properties: Object.fromEntries(properties) };
}

/** The description has permissions as numbers. Discord documents texts, because they outgrow what JSON keeps exactly. */
const bitFields: ReadonlySet<string> = new Set(['allow', 'deny', 'permissions', 'default_member_permissions']);

function checkParameters(
  compile: Compile,
  parameters: readonly Parameter[],
  place: 'path' | 'query',
  values: URLSearchParams | ReadonlyMap<string, string>,
): string[] {
  const described = new Map(parameters.filter((one) => one.in === place).map((one) => [one.name, one]));
  const missing = [...described.values()].filter(({ name, required }) => required && !values.has(name));
  return [
    ...missing.map(({ name }) => `lacks the ${place} parameter ${name}`),
    ...[...values].flatMap(([name, value]) => {
      const parameter = described.get(name);
      if (parameter === undefined) return [`has an unknown ${place} parameter ${name}`];
      // A text stands for a number or a truth value where the schema has one.
      const readings = [value, ...(/^-?\d+$/.test(value) ? [Number(value)] : []), ...truthOf(value)];
      const validate = compile(parameter.schema);
      return readings.some((reading) => validate(reading)) ? [] : [`has a malformed ${place} parameter ${name}`];
    }),
  ];
}

function truthOf(value: string): boolean[] {
  return value === 'true' || value === 'false' ? [value === 'true'] : [];
}

function checkBody(compile: Compile, { requestBody }: Operation, { body, contentType = '' }: Exchange): string[] {
  if (body === '') return requestBody?.required ? ['lacks a body'] : [];
  if (requestBody === undefined) return ['has a body, and none is described'];
  const type = contentType.split(';')[0] ?? '';
  const content = requestBody.content[type];
  if (content === undefined) return [`has a body of type ${type}, which is not described`];
  if (type === 'multipart/form-data') return checkForm(compile, requestBody, body);
  if (type !== 'application/json') return [`has a body of type ${type}, which this test cannot read`];
  const validate = compile(closedOnce(content.schema));
  return validate(JSON.parse(body)) ? [] : [`has a body that ${explain(validate)}`];
}

/** A form with files: the JSON part, as if it came without files, and the names of the files. */
function checkForm(compile: Compile, { content }: NonNullable<Operation['requestBody']>, body: string): string[] {
  const parts = [...body.matchAll(/name="([^"]+)"[^\r]*\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)\r\n--/g)];
  const schema = content['application/json']?.schema;
  if (parts.length === 0 || schema === undefined) return ['has a form that this test cannot read'];
  const named = JSON.stringify(content['multipart/form-data']?.schema);
  return parts.flatMap(([, name = '', text = '']) => {
    if (name !== 'payload_json') return named.includes(`"${name}"`) ? [] : [`has a form with an unknown file ${name}`];
    const validate = compile(closedOnce(schema));
    return validate(JSON.parse(text)) ? [] : [`has a form that ${explain(validate)}`];
  });
}

const closedSchemas = new Map<Json, Json>();

function closedOnce(schema: Json): Json {
  const known = closedSchemas.get(schema) ?? (closed(schema) as Json);
  closedSchemas.set(schema, known);
  return known;
}

function checkReply(
  compile: Compile,
  { responses }: Operation,
  { status, reply }: Exchange,
  shared: Readonly<Record<string, Described>>,
): string[] {
  // Proxies of Discord answer with pages of their own.
  if (status >= 500 || (status >= 400 && reply === undefined)) return [];
  const found = responses[status] ?? responses[`${String(status)[0]}XX`];
  const described = found?.$ref === undefined ? found : shared[found.$ref.split('/').at(-1) ?? ''];
  if (described === undefined) return [`is answered with ${status}, which is not described`];
  const schema = described.content?.['application/json']?.schema;
  if (schema === undefined) return reply === undefined ? [] : ['is answered with a body, and none is described'];
  if (reply === undefined) return ['is answered without the body that is described'];
  const validate = compile(schema);
  return validate(corrected(status, JSON.parse(reply))) ? [] : [`is answered with a body that ${explain(validate)}`];
}

/**
 * Two differences between the description and what Discord documents and sends: most rate limits have no `code`, and the codes within
 * `errors` are names, such as BASE_TYPE_MAX_LENGTH.
 */
function corrected(status: number, reply: unknown): unknown {
  if (status < 400) return reply;
  const { errors: _, ...rest } = reply as Json;
  return status === 429 ? { code: 0, ...rest } : rest;
}

function explain({ errors }: ValidateFunction): string {
  return (errors ?? [])
    .slice(0, 4)
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}
