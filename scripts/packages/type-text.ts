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

/** A schema as a type of TypeScript. */
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

/** The name of a component, as TypeScript can have it. */
export function typeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, '_');
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** The sentence about a field or an operation, in front of it. */
export function commentText(text: string | undefined, indent: string): string {
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
