import { Ajv, type AnySchemaObject, type ErrorObject, type Options } from 'ajv';
import { AppError, type ErrorDetail } from './error-codes.ts';
import type { TSchema, ValueOf } from './schema.ts';

// The one validator. HTTP operations, MCP tools, bot commands, webhooks and the command line all go through it, so that
// a limit in a schema holds wherever the input comes from. Not part of the index: browsers do not need Ajv.

const vocabulary = ['x-name', 'x-in', 'x-exact', 'x-extensible'];
// Formats of the published API that tell readers what a text holds; the operations check what they mean.
const formatsOfTheApi = ['Asset', 'BigNumber', 'BigDecimal', 'CAIPAsset'];

/** Ajv, set up for the schemas of this project. */
export function createAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({ strict: false, ...options });
  ajv.addVocabulary(vocabulary);
  for (const format of formatsOfTheApi) ajv.addFormat(format, true);
  ajv.addKeyword({
    // JSON Schema limits single values, but not the size of an object whose fields are open.
    keyword: 'x-maxBytes',
    type: 'object',
    schemaType: 'number',
    validate: (limit: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limit,
    error: { message: ({ schema }) => `must not be larger than ${schema} bytes as JSON` },
  });
  return ajv;
}

/** VALIDATION_FAILED, with each place that does not fit. `what` names the input: "The body". */
export function validationError(errors: readonly ErrorObject[] | null | undefined, what: string): AppError {
  const details: ErrorDetail[] = (errors ?? []).map((error) => ({
    path: error.instancePath,
    code: error.keyword,
    message: error.message ?? 'is invalid',
    info: error.params,
  }));
  const [first] = details;
  const place = first === undefined || first.path === '' ? what : `${what} at ${first.path}`;
  return new AppError('VALIDATION_FAILED', `${place} ${first?.message ?? 'is invalid'}.`, { details });
}

export interface ValidatorOptions {
  /** Names the input in errors: "The command". */
  what: string;
  /**
   * `refuse` where the form of the input is ours to decide. `ignore` for payloads of platforms, which add fields whenever
   * they like: there only the fields that are used are held to the schema, and a limit on bytes bounds the rest.
   */
  unknownFields: 'refuse' | 'ignore';
}

const inputs = createAjv({ validateFormats: false });

/** Returns the value as its schema types it, or throws VALIDATION_FAILED. Compiled at the first call. */
export function validatorOf<S extends TSchema>(
  schema: S,
  { what, unknownFields }: ValidatorOptions,
): (value: unknown) => ValueOf<S> {
  let validate: ReturnType<Ajv['compile']> | undefined;
  return (value) => {
    validate ??= inputs.compile(unknownFields === 'refuse' ? closeObjects(schema) : schema);
    if (!validate(value)) throw validationError(validate.errors, what);
    return value as ValueOf<S>;
  };
}

/** The same schema, with objects that allow only the fields they name, unless they say otherwise. */
export function closeObjects(schema: object): AnySchemaObject {
  return JSON.parse(
    JSON.stringify(schema, (_key, node: unknown) => {
      if (typeof node !== 'object' || node === null || !('properties' in node) || 'additionalProperties' in node)
        return node;
      return 'type' in node && node.type === 'object' ? { ...node, additionalProperties: false } : node;
    }),
  );
}
