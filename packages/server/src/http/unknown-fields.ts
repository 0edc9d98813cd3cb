import { AppError, type ErrorDetail, isObject, nearestName } from '@latchkey/kernel';

/** A field of a body that its schema does not name. */
export interface UnknownField {
  /** A JSON pointer. */
  path: string;
  name: string;
  /** The closest field name of the schema. */
  suggestion: string | undefined;
}

/** The maximum number of fields to list. */
const mostListed = 20;

/**
 * Returns the fields that validation dropped, at any depth, with the closest known name. Fields of objects with
 * `x-extensible` are skipped: a standard lets senders add to them.
 */
export function findUnknownFields(sent: unknown, kept: unknown, schema: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  /** Where the comparison is: one list for all of it, because most bodies have nothing to report. */
  const path: string[] = [];
  collect(sent, kept);
  return found;

  function collect(sentHere: unknown, keptHere: unknown): void {
    if (!isContainer(sentHere) || !isContainer(keptHere)) return;
    const dropped: string[] = [];
    for (const name of Object.keys(sentHere)) {
      if (found.length === mostListed) return;
      const value: unknown = Reflect.get(sentHere, name);
      if (!Object.hasOwn(keptHere, name)) dropped.push(name);
      else if (isContainer(value)) {
        path.push(name);
        collect(value, Reflect.get(keptHere, name));
        path.pop();
      }
    }
    if (dropped.length === 0) return;
    const schemas = path.reduce<unknown[]>((at, step) => at.flatMap((node) => into(node, step)), [schema]);
    if (schemas.flatMap(branchesOf).some((branch) => branch['x-extensible'] === true)) return;
    for (const name of dropped.slice(0, mostListed - found.length))
      found.push({ path: pointerTo([...path, name]), name, suggestion: suggest(name, sentHere, schemas) });
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function pointerTo(path: readonly string[]): string {
  return path.map((name) => `/${name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Returns a similar field name of the schema that the object does not have yet. */
function suggest(name: string, sent: object, schemas: readonly unknown[]): string | undefined {
  const missing = fieldNames(schemas).filter((candidate) => !Object.hasOwn(sent, candidate));
  return nearestName(name, missing, name.length < 6 ? 1 : 3);
}

/** The alternatives of a schema, flattened. */
function branchesOf(schema: unknown): Record<string, unknown>[] {
  if (!isObject(schema)) return [];
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  return [schema, ...[anyOf, oneOf, allOf].flat().flatMap(branchesOf)];
}

function into(schema: unknown, step: string): unknown[] {
  return branchesOf(schema).flatMap(({ properties, items, additionalProperties }) => {
    if (isObject(properties) && Object.hasOwn(properties, step)) return [properties[step]];
    return [items, additionalProperties].filter(isObject);
  });
}

function fieldNames(schemas: readonly unknown[]): string[] {
  const properties = schemas.flatMap(branchesOf).map((branch) => branch.properties);
  return [...new Set(properties.filter(isObject).flatMap(Object.keys))];
}

/** "Unknown field "channelId". Did you mean "channels"?" */
export function describeUnknownField({ path, name, suggestion }: UnknownField): string {
  const place = path.lastIndexOf('/') === 0 ? '' : ` at ${path.slice(0, path.lastIndexOf('/'))}`;
  const meant = suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`;
  return `Unknown field ${JSON.stringify(name.slice(0, 64))}${place}.${meant}`;
}

/** Returns a VALIDATION_FAILED error that lists the unknown fields. */
export function unknownFieldsError(fields: readonly UnknownField[]): AppError {
  const details = fields.map(
    (field): ErrorDetail => ({
      path: field.path,
      code: 'additionalProperties',
      message: describeUnknownField(field),
      info: { field: field.name.slice(0, 64), ...(field.suggestion !== undefined && { suggestion: field.suggestion }) },
    }),
  );
  return new AppError('VALIDATION_FAILED', fields.slice(0, 3).map(describeUnknownField).join(' '), { details });
}
