import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

export type { TSchema };
export { Type as T };

/** A JSON Schema that remembers the TypeScript type of the values it accepts. */
export type Schema<Value> = TUnsafe<Value>;

/** The TypeScript type of the values a schema accepts. */
export type ValueOf<S> = S extends { '~unsafe': infer Value } ? Value : S extends TSchema ? Static<S> : never;

/**
 * Settles the value type of a schema once, where it is written. Operations then infer a finished type instead of
 * computing it again for every generic they pass through, which keeps type checking of the whole API near a second.
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

/** A JSON object whose fields are the caller's own business. */
export const OpenObject: Schema<Record<string, unknown>> = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { 'x-name': 'OpenObject', additionalProperties: true, description: 'Any JSON object.' }),
);

/** Text of bounded length: every string of the API states a limit, so that nothing endless gets in. */
export function text(description: string, options: Record<string, unknown> = {}) {
  return Type.String({ description, maxLength: 1024, ...options });
}

/** One of a few fixed words. */
export function choice<const Word extends string>(description: string, words: readonly Word[]): Schema<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], description });
}

/** A whole number of any size: a bigint in the code, and a JSON number with all of its digits on the wire. */
export function wholeNumber(description: string): Schema<bigint> {
  return Type.Unsafe<bigint>({ type: 'number', 'x-exact': true, description });
}

/** A list of bounded texts. */
export function texts(description: string, options: Record<string, unknown> = {}) {
  return Type.Array(Type.String({ maxLength: 1024, ...options }), { description, maxItems: 200 });
}
