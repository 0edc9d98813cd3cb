import type { ApiDocument, Schema } from './openapi.ts';

const deepest = 5;

/** A value of a schema to start from: what is required, with values that show their kind. */
export function exampleOf(document: ApiDocument, schema: Schema | undefined): unknown {
  return schema === undefined ? undefined : sampleOf(document, schema, 0);
}

function sampleOf(document: ApiDocument, schema: Schema, depth: number): unknown {
  if (depth > deepest) return null;
  if (schema.$ref !== undefined)
    return sampleOf(document, document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, depth + 1);
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sampleOf(document, schema.anyOf[0], depth + 1);
  switch ([schema.type].flat()[0]) {
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(document, schema.items, depth + 1)];
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'string':
      return 'string';
    default:
      return objectOf(document, schema, depth);
  }
}

/** The required fields; where none is, the first few. */
function objectOf(document: ApiDocument, { properties = {}, required = [] }: Schema, depth: number): object {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 4);
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = properties[name];
      return field === undefined ? [] : [[name, sampleOf(document, field, depth + 1)]];
    }),
  );
}
