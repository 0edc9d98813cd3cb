import { AppError, isOwnOperation, type Operation, placeOf, type TSchema } from '@latchkey/kernel';
import { closeObjects, createAjv, validationError } from '@latchkey/kernel/validate';
import type { Ajv, ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import fastJson from 'fast-json-stringify';
import type { FastifyRequest } from 'fastify';
import { isCleanText, readJson } from './read-json.ts';
import { describeUnknownField, findUnknownFields, unknownFieldsError } from './unknown-fields.ts';
import type { CompiledOperation } from './visit.ts';

const formats = addFormats as unknown as (ajv: Ajv) => void;

// Parameters arrive as text and are coerced to numbers and booleans; bodies are typed JSON and are not coerced. Fields
// that a body's schema does not name never reach the verb, so that none can be smuggled in: operations below /latchkey
// refuse them, and published ones, whose clients send more than is documented, drop them with a warning.
const params = createAjv({ coerceTypes: 'array', useDefaults: true });
const bodies = createAjv({ removeAdditional: true, useDefaults: true, allErrors: false });
// Tool input is typed, like bodies, and refused if it has a field that the schema does not name.
const tools = createAjv();
for (const ajv of [params, bodies, tools]) formats(ajv);

/** Depends on the contract only, so servers in one process can share it. */
const compiled = new WeakMap<Operation, CompiledOperation>();

/** Compiles the contract of an operation. */
export function compileOperation(operation: Operation): CompiledOperation {
  const known = compiled.get(operation) ?? compileLazily(operation);
  compiled.set(operation, known);
  return known;
}

/** Each part is compiled on first use, so that startup stays fast. */
function compileLazily(operation: Operation): CompiledOperation {
  const readParams = lazy(() => compileParams(operation));
  const readBody = lazy(() => compileBody(operation));
  const writeAnswer = lazy(() => compileAnswer(operation));
  return {
    readParams: (request) => readParams()(request),
    readBody: (request) => readBody()(request),
    writeAnswer: (answer) => writeAnswer()(answer),
  };
}

/** Compiles every part at once, so that a mistake in a schema shows up in a test instead of in the first request. */
export function compileEagerly(operation: Operation): void {
  compileParams(operation);
  if (operation.body !== undefined) compileBody(operation);
  compileAnswer(operation);
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function compileParams(operation: Operation): (request: FastifyRequest) => Record<string, unknown> {
  const entries = Object.entries(operation.params).map(([name, schema]) => ({
    name,
    schema,
    place: placeOf(operation, name, schema),
  }));
  const required = entries
    .filter(({ schema, place }) => place === 'path' || !('~optional' in schema))
    .map(({ name }) => name);
  const properties = Object.fromEntries(entries.map(({ name, schema }) => [name, schema]));
  const validate = params.compile({ type: 'object', properties, required });
  return (request) => {
    const input: Record<string, unknown> = {};
    for (const { name, place } of entries) {
      const value = valueAt(request, name, place);
      if (value !== undefined) input[name] = value;
    }
    for (const [name, value] of Object.entries(input)) {
      if (![value].flat().every((item) => isCleanText(String(item)))) {
        throw new AppError(
          'INVALID_PARAMETER_VALUE',
          `The parameter ${name} contains a NUL character or an unpaired surrogate.`,
        );
      }
    }
    if (!validate(input)) throw parameterError(validate.errors?.[0]);
    return input;
  };
}

function valueAt(request: FastifyRequest, name: string, place: 'path' | 'query' | 'header'): unknown {
  switch (place) {
    case 'path':
      return (request.params as Record<string, string>)[name];
    case 'query':
      return (request.query as Record<string, unknown>)[name];
    case 'header':
      return request.headers[name.toLowerCase()];
  }
}

function parameterError(error: ErrorObject | undefined): AppError {
  if (error?.keyword === 'required' && error.instancePath === '') {
    const name = String(error.params.missingProperty);
    return new AppError('MISSING_REQUIRED_PARAMETER', `The parameter ${name} is required.`, {
      details: { parameter: name },
    });
  }
  const name = (error?.instancePath ?? '').split('/')[1] ?? '';
  return new AppError('INVALID_PARAMETER_VALUE', `The parameter ${name} ${error?.message ?? 'is invalid'}.`, {
    details: { parameter: name },
  });
}

/** Validates the input of a tool against its published schema. Throws the same errors as an operation. */
export function compileToolInput(schema: object): (input: Readonly<Record<string, unknown>>) => void {
  const validate = tools.compile(schema);
  return (input) => {
    if (validate(input)) return;
    const error = validate.errors?.[0];
    if (error?.keyword === 'additionalProperties' && error.instancePath === '') {
      const name = String(error.params.additionalProperty).slice(0, 64);
      throw new AppError('INVALID_PARAMETER_VALUE', `The parameter ${JSON.stringify(name)} is unknown.`, {
        details: { parameter: name },
      });
    }
    if (error?.instancePath.startsWith('/body') === true) {
      const inside = (validate.errors ?? []).map((one) => ({ ...one, instancePath: one.instancePath.slice(5) }));
      throw validationError(inside, 'The body');
    }
    throw parameterError(error);
  };
}

function compileBody(operation: Operation): CompiledOperation['readBody'] {
  const { body } = operation;
  if (body === undefined) throw new Error(`${operation.route} does not take a body.`);
  if (body.kind === 'raw') return ({ body: bytes }) => ({ value: bytes ?? new Uint8Array(), warnings: [] });
  const validate = bodies.compile(closeObjects(body.schema));
  const expected = body.kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  return (request) => {
    if (body.isOptional && hasNoBody(request)) return { value: undefined, warnings: [] };
    const text = textOf(request, expected);
    const value = body.kind === 'json' ? readJson(text) : readForm(text);
    if (!validate(value)) throw validationError(validate.errors, 'The body');
    // Forms belong to OAuth, which requires servers to ignore unknown parameters (RFC 6749, 3.1 and 3.2).
    if (body.kind === 'form') return { value, warnings: [] };
    const unknown = findUnknownFields(JSON.parse(text), value, body.schema);
    if (unknown.length > 0 && isOwnOperation(operation)) throw unknownFieldsError(unknown);
    return { value, warnings: unknown.map(describeUnknownField) };
  };
}

function hasNoBody({ body }: FastifyRequest): boolean {
  return ((body as Uint8Array | undefined)?.byteLength ?? 0) === 0;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOf(request: FastifyRequest, expected: string): string {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== expected)
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Send the body with Content-Type: ${expected}.`);
  const charset = parameters.find((parameter) => /^\s*charset\s*=/i.test(parameter));
  if (charset !== undefined && !/=\s*"?(utf-8|utf8|us-ascii)"?\s*$/i.test(charset))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body in UTF-8.');
  try {
    return decoder.decode((request.body as Uint8Array | undefined) ?? new Uint8Array());
  } catch {
    throw new AppError('INVALID_BODY', 'The body is not valid UTF-8.');
  }
}

function readForm(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(fields, name))
      throw new AppError('INVALID_BODY', `The form contains the field ${JSON.stringify(name.slice(0, 64))} twice.`);
    if (!isCleanText(name) || !isCleanText(value))
      throw new AppError('INVALID_BODY', 'The form contains a NUL character or an unpaired surrogate.');
    fields[name] = value;
  }
  return fields;
}

function compileAnswer({ answer }: Operation): (value: unknown) => string {
  if (answer.kind !== 'json' || answer.schema === undefined) return (value) => JSON.stringify(value);
  return fastJson(writeExactly(answer.schema) as Parameters<typeof fastJson>[0]);
}

/** The number serializer would round a bigint; the integer serializer writes all of its digits. */
function writeExactly(schema: TSchema): unknown {
  return JSON.parse(
    JSON.stringify(schema, (_key, node: unknown) =>
      typeof node === 'object' && node !== null && 'x-exact' in node ? { type: 'integer' } : node,
    ),
  );
}
