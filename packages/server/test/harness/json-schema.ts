/** The parts of JSON Schema that the contracts use. */
export interface JsonSchema {
  type?: string;
  description?: string;
  enum?: readonly unknown[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  anyOf?: readonly JsonSchema[];
  maxProperties?: number;
  'x-maxBytes'?: number;
  'x-name'?: string;
}

/** A contract's schema is a JSON Schema; only its TypeScript type does not say so. */
export function asJsonSchema(schema: object): JsonSchema {
  return schema;
}

export interface Field {
  /** The full path, for example `items[].actions[].notes`. */
  path: string;
  /** The named record that contains the field, or the path of its object. */
  record: string;
  name: string;
  schema: JsonSchema;
}

/** Returns every field of an object schema and of the objects inside it. */
export function fieldsOf(schema: JsonSchema, path = ''): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const innerPath = path === '' ? name : `${path}.${name}`;
    return [{ path: innerPath, record: schema['x-name'] ?? path, name, schema: inner }, ...fieldsOf(inner, innerPath)];
  });
  const branches = (schema.anyOf ?? []).flatMap((branch) => fieldsOf(branch, path));
  const items = schema.items === undefined ? [] : fieldsOf(schema.items, `${path}[]`);
  const rest = schema.additionalProperties;
  return [...own, ...branches, ...items, ...(typeof rest === 'object' ? fieldsOf(rest, `${path}.*`) : [])];
}
