import type { ApiDocument, Schema } from './openapi.ts';

/** One row of a table of fields. */
export interface Field {
  name: string;
  /** How deep it is nested. */
  depth: number;
  type: string;
  required: boolean;
  text: string;
  /** The forms of a union that have it, and its type in each. Undefined if there is only one form. */
  forms?: Readonly<Record<string, Pick<Field, 'required' | 'text'>>>;
}

const deepest = 4;

/** Lists a schema as rows, with nested objects below their field. Recursive types are named, not repeated. */
export function listFields(document: ApiDocument, schema: Schema | undefined): Field[] {
  return schema === undefined ? [] : fieldsOf(document, schema, 0, []);
}

/** Returns the type of a whole schema, such as `object[]`. */
export function typeName(document: ApiDocument, schema: Schema | undefined): string {
  return schema === undefined ? '' : typeOf(document, schema, []);
}

function fieldsOf(document: ApiDocument, schema: Schema, depth: number, seen: readonly string[]): Field[] {
  const [resolved, path] = resolve(document, schema, seen);
  if (resolved === undefined || depth > deepest) return [];
  if (resolved.items !== undefined) return fieldsOf(document, resolved.items, depth, path);
  if (resolved.anyOf !== undefined) return choicesOf(document, resolved.anyOf, depth, path);
  if (typeof resolved.additionalProperties === 'object' && resolved.properties === undefined)
    return fieldsOf(document, resolved.additionalProperties, depth, path);
  return Object.entries(resolved.properties ?? {}).flatMap(([name, field]) => [
    {
      name,
      depth,
      type: typeOf(document, field, path),
      required: resolved.required?.includes(name) ?? false,
      text: describe(document, field),
    },
    ...fieldsOf(document, field, depth + 1, path),
  ]);
}

/** Returns the fields of all choices together. One is required if every choice requires it. */
function choicesOf(document: ApiDocument, choices: readonly Schema[], depth: number, seen: readonly string[]): Field[] {
  const lists = choices
    .map((choice, index) => ({ form: formName(choice, index), list: fieldsOf(document, choice, depth, seen) }))
    .filter(({ list }) => list.length > 0);
  const fields = new Map(lists.flatMap(({ list }) => list).map((field) => [placeOf(field), field]));
  return [...fields.values()].map((field) => {
    const forms = lists.flatMap(({ form, list }) => {
      const found = list.find((one) => placeOf(one) === placeOf(field));
      return found === undefined ? [] : [[form, { required: found.required, text: found.text }] as const];
    });
    return {
      ...field,
      required: forms.length === lists.length && forms.every(([, { required }]) => required),
      text: [...new Set(forms.map(([, { text }]) => text))].join(' Or: '),
      ...(lists.length > 1 && { forms: Object.fromEntries(forms) }),
    };
  });
}

/** `AuthorizationCodeRequest` is `Authorization code`. */
function formName({ $ref }: Schema, index: number): string {
  const name =
    $ref
      ?.split('/')
      .at(-1)
      ?.replace(/Request$/, '') ?? `Form ${index + 1}`;
  const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function placeOf({ depth, name }: Field): string {
  return `${depth} ${name}`;
}

function resolve(document: ApiDocument, schema: Schema, seen: readonly string[]): [Schema | undefined, string[]] {
  if (schema.$ref === undefined) return [schema, [...seen]];
  const name = schema.$ref.split('/').at(-1) ?? '';
  return seen.includes(name) ? [undefined, [...seen]] : [document.components.schemas[name], [...seen, name]];
}

function typeOf(document: ApiDocument, schema: Schema, seen: readonly string[]): string {
  if (schema.$ref !== undefined) {
    const [resolved] = resolve(document, schema, seen);
    return resolved === undefined ? (schema.$ref.split('/').at(-1) ?? 'object') : typeOf(document, resolved, seen);
  }
  if (schema.items !== undefined) return `${typeOf(document, schema.items, seen)}[]`;
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map((one) => typeOf(document, one, seen)))].join(' or ');
  if (typeof schema.additionalProperties === 'object')
    return `map of ${typeOf(document, schema.additionalProperties, seen)}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

function describe(document: ApiDocument, schema: Schema): string {
  const [resolved = {}] = resolve(document, schema, []);
  const whole = { ...resolved, ...schema };
  return [whole.description ?? '', ...limitsOf(whole)].filter((part) => part !== '').join(' ');
}

function limitsOf({
  enum: values,
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  format,
  ...schema
}: Schema): string[] {
  return [
    values === undefined ? '' : `One of ${values.map((value) => JSON.stringify(value)).join(', ')}.`,
    minimum === undefined ? '' : `At least ${minimum}.`,
    maximum === undefined ? '' : `At most ${maximum}.`,
    minLength === undefined || minLength < 2 ? '' : `At least ${minLength} characters.`,
    maxLength === undefined ? '' : `Up to ${maxLength} characters.`,
    minItems === undefined || minItems === 0 ? '' : `At least ${minItems === 1 ? 'one entry' : `${minItems} entries`}.`,
    maxItems === undefined ? '' : `Up to ${maxItems} entries.`,
    format === undefined ? '' : `Format ${format}.`,
    schema.default === undefined ? '' : `Defaults to ${JSON.stringify(schema.default)}.`,
  ];
}
