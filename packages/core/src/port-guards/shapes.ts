/** Checks of what ports return: just enough to tell a result from garbage. Adapters check the details. */
export type Shape = (value: unknown) => boolean;

export const anything: Shape = () => true;
export const text: Shape = (value) => typeof value === 'string';
export const flag: Shape = (value) => typeof value === 'boolean';
export const whole: Shape = (value) => Number.isSafeInteger(value);
export const bigNumber: Shape = (value) => typeof value === 'bigint';
export const bytes: Shape = (value) => value instanceof Uint8Array;
export const time: Shape = (value) => value instanceof Date && !Number.isNaN(value.getTime());

export const maybe =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || shape(value);

export const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);

export const oneOf =
  (...values: readonly unknown[]): Shape =>
  (value) =>
    values.includes(value);

/** An object with these fields, and any others. */
export const record =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(fields).every(([name, shape]) => shape(Reflect.get(value, name)));

/** An object whose `kind` is one of these, with the fields of that kind. */
export const answer = (kinds: Readonly<Record<string, Readonly<Record<string, Shape>>>>): Shape => {
  const shapes = new Map(Object.entries(kinds).map(([kind, fields]) => [kind, record(fields)]));
  return (value) => {
    const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined;
    return typeof kind === 'string' && (shapes.get(kind)?.(value) ?? false);
  };
};
