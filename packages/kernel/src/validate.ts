import { Ajv, type AnySchemaObject, type ErrorObject, type Options } from 'ajv';
import { AppError, type ErrorDetail } from './error-codes.ts';
import type { TSchema, ValueOf } from './schema.ts';

// The one validator. HTTP operations, MCP tools, bot commands, webhooks and the command line all use it, so that a
// limit in a schema applies to every source of input. Not part of the index: browsers do not need Ajv.

const vocabulary = ['x-name', 'x-in', 'x-exact', 'x-extensible'];
// Formats of the published API that document the content of a text; the operations check it.
const formatsOfTheApi = ['Asset', 'BigNumber', 'BigDecimal', 'CAIPAsset'];

/** Creates Ajv with the settings for this project's schemas. */
export function createAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({ strict: false, ...options });
  ajv.addVocabulary(vocabulary);
  for (const format of formatsOfTheApi) ajv.addFormat(format, true);
  ajv.addKeyword({
    // JSON Schema limits single values, but not the size of an object with arbitrary fields.
    keyword: 'x-maxBytes',
    type: 'object',
    schemaType: 'number',
    validate: (limit: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limit,
    error: { message: ({ schema }) => `must not be larger than ${schema} bytes as JSON` },
  });
  return ajv;
}

/** Returns a VALIDATION_FAILED error with each invalid place. `what` names the input: "The body". */
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
   * `refuse` if the format of the input is ours to define. `ignore` for payloads of platforms, which may add fields at
   * any time: there only the used fields are validated, and a limit on bytes bounds the rest.
   */
  unknownFields: 'refuse' | 'ignore';
}

const inputs = createAjv({ validateFormats: false });

/**
 * Returns a function that returns the typed value, or throws VALIDATION_FAILED. The schema is compiled on the first
 * call.
 */
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

/** Returns the same schema, with objects that allow only the fields they name, unless they say otherwise. */
export function closeObjects(schema: object): AnySchemaObject {
  return JSON.parse(
    JSON.stringify(schema, (_key, node: unknown) => {
      if (typeof node !== 'object' || node === null || !('properties' in node) || 'additionalProperties' in node)
        return node;
      return 'type' in node && node.type === 'object' ? { ...node, additionalProperties: false } : node;
    }),
  );
}
