import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

export type { TSchema };
export { Type as T };

/** A JSON Schema that carries the TypeScript type of its values. */
export type Schema<Value> = TUnsafe<Value>;

/** The TypeScript type of a schema's values. */
export type ValueOf<S> = S extends { '~unsafe': infer Value } ? Value : S extends TSchema ? Static<S> : never;

/**
 * Fixes the value type of a schema where it is defined. Operations then infer a finished type instead of computing it
 * again in every generic, which keeps type checking of the whole API near a second.
 */
export function shape<S extends TSchema>(schema: S): Schema<Static<S>> {
  return schema as unknown as Schema<Static<S>>;
}

/** A named object: it appears once under `components.schemas` of the API description and by reference elsewhere. */
export function record<Fields extends TProperties>(
  name: string,
  description: string,
  fields: Fields,
  markings: { 'x-extensible'?: boolean } = {},
): Schema<Static<TObject<Fields>>> {
  return shape(Type.Object(fields, { 'x-name': name, description, ...markings }));
}

/** An array of one kind of item. */
export function listOf<Item>(item: Schema<Item>, description = 'The items, in a stable order.'): Schema<Item[]> {
  return Type.Unsafe<Item[]>(Type.Array(item, { description, maxItems: 10_000 }));
}

/** A JSON object with arbitrary fields. */
export const OpenObject: Schema<Record<string, unknown>> = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { 'x-name': 'OpenObject', additionalProperties: true, description: 'Any JSON object.' }),
);

/** Text of limited length: every string of the API has a limit, so that no input is unbounded. */
export function text(description: string, options: Record<string, unknown> = {}) {
  return Type.String({ description, maxLength: 1024, ...options });
}

/** One of several fixed values. */
export function choice<const Word extends string>(description: string, words: readonly Word[]): Schema<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], description });
}

/** An integer of any size: a bigint in the code, and a JSON number with all of its digits in responses. */
export function wholeNumber(description: string): Schema<bigint> {
  return Type.Unsafe<bigint>({ type: 'number', 'x-exact': true, description });
}

/** A list of texts of limited length. */
export function texts(description: string, options: Record<string, unknown> = {}) {
  return Type.Array(Type.String({ maxLength: 1024, ...options }), { description, maxItems: 200 });
}
