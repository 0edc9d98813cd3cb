import type { JsonSchema } from './json-schema.ts';

/** A value that exceeds one limit of a schema by one. */
export interface Overstep {
  /** As a JSON pointer. */
  path: string;
  limit: string;
  value: unknown;
}

/**
 * Returns the base with each of its limits exceeded in turn: every text one longer, every list one item longer, every
 * number one higher.
 */
export function overstepsOf(schema: JsonSchema, base: unknown, path = ''): Overstep[] {
  if (schema.type === 'object') return [...ofFields(schema, fieldsOf(base), path), ...ofOpenObject(schema, path)];
  const broken = (limit: string, value: unknown) => [{ path, limit, value }];
  if (schema.anyOf !== undefined) {
    const lengths = schema.anyOf.flatMap(({ maxLength }) => maxLength ?? []);
    return lengths.length === 0 ? [] : broken('maxLength', 'x'.repeat(Math.max(...lengths) + 1));
  }
  if (schema.enum !== undefined) return broken('enum', 'none of them');
  if (schema.maxLength !== undefined) return broken('maxLength', letterFor(schema).repeat(schema.maxLength + 1));
  if (schema.maxItems !== undefined) {
    const [item = sampleItem(schema.items)] = Array.isArray(base) ? base : [];
    return broken(
      'maxItems',
      Array.from({ length: schema.maxItems + 1 }, () => item),
    );
  }
  return schema.maximum === undefined ? [] : broken('maximum', schema.maximum + 1);
}

function ofFields({ properties = {} }: JsonSchema, base: Readonly<Record<string, unknown>>, path: string): Overstep[] {
  return Object.entries(properties).flatMap(([name, inner]) =>
    overstepsOf(inner, base[name], `${path}/${name}`).map((one) => ({ ...one, value: { ...base, [name]: one.value } })),
  );
}

function ofOpenObject({ maxProperties, 'x-maxBytes': maxBytes }: JsonSchema, path: string): Overstep[] {
  const broken: Overstep[] = [];
  if (maxProperties !== undefined) {
    const names = Array.from({ length: maxProperties + 1 }, (_item, index) => [`field${index}`, 1]);
    broken.push({ path, limit: 'maxProperties', value: Object.fromEntries(names) });
  }
  if (maxBytes !== undefined) {
    const frame = JSON.stringify({ a: '' }).length;
    broken.push({ path, limit: 'x-maxBytes', value: { a: 'x'.repeat(maxBytes - frame + 1) } });
  }
  return broken;
}

function letterFor({ pattern }: JsonSchema): string {
  return pattern?.includes('\\d') ? '1' : 'x';
}

function sampleItem(schema: JsonSchema = {}): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x'.repeat(Math.max(1, schema.minLength ?? 1));
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Returns the texts, lists and objects of a schema that have no limit. */
export function endlessParts(schema: JsonSchema, path = ''): string[] {
  if (schema.enum !== undefined || 'const' in schema) return [];
  const branches = (schema.anyOf ?? []).flatMap((branch) => endlessParts(branch, path));
  if (schema.type === 'string') return schema.maxLength === undefined ? [path] : branches;
  if (schema.type === 'array')
    return [...(schema.maxItems === undefined ? [path] : []), ...endlessParts(schema.items ?? {}, `${path}[]`)];
  if (schema.type !== 'object') return branches;
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => endlessParts(one, `${path}/${name}`));
  return [...inner, ...branches];
}
