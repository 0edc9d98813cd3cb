import type { JsonSchema } from './json-schema.ts';

/** How many bytes are left for a value. */
export interface Room {
  bytes: number;
}

/** Adds items until the list is full, or the space is used up. */
export function fillList({ maxItems = 1, minItems = 0 }: JsonSchema, room: Room, make: () => unknown): unknown[] {
  const list: unknown[] = [];
  while (list.length < maxItems && (room.bytes > 0 || list.length < minItems)) {
    list.push(make());
    // The comma between two items.
    room.bytes -= 1;
  }
  return list;
}

/** Returns the largest value that the schema and the space allow. */
export function largestValue(schema: JsonSchema, room: Room): unknown {
  const value = chooseLargest(schema, room);
  if (typeof value !== 'object') room.bytes -= JSON.stringify(value)?.length ?? 0;
  return value;
}

function chooseLargest(schema: JsonSchema, room: Room): unknown {
  if (schema.enum !== undefined) return schema.enum.at(-1);
  if (schema.anyOf !== undefined) {
    const sizes = schema.anyOf.map((branch) => ({ branch, size: sizeOf(branch) }));
    const [largest] = sizes.sort((a, b) => b.size - a.size);
    return chooseLargest(largest?.branch ?? {}, room);
  }
  switch (schema.type) {
    case 'string':
      return largestText(schema, room);
    case 'number':
    case 'integer':
      return schema.maximum ?? 9_007_199_254_740_991;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return fillList(schema, room, () => largestValue(schema.items ?? {}, room));
    default:
      return largestObject(schema, room);
  }
}

function largestObject(schema: JsonSchema, room: Room): Record<string, unknown> {
  const { properties = {}, additionalProperties, maxProperties = 1_000 } = schema;
  const inside: Room = { bytes: Math.min(room.bytes, schema['x-maxBytes'] ?? room.bytes) - 200 };
  const before = inside.bytes;
  const own: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(properties)) {
    inside.bytes -= name.length + 4;
    own[name] = largestValue(inner, inside);
  }
  if (additionalProperties !== undefined && additionalProperties !== false) {
    const inner: JsonSchema =
      typeof additionalProperties === 'object' ? additionalProperties : { type: 'string', maxLength: 1024 };
    for (let count = Object.keys(own).length; count < maxProperties && inside.bytes > 0; count += 1) {
      inside.bytes -= 12;
      own[`field${count}`] = largestValue(inner, inside);
    }
  }
  room.bytes -= before - inside.bytes;
  return own;
}

const letters = ['x', '1', 'a', '0', 'A', 'f', 'aB3-', '0x1', '1,'];

/** Returns the longest text that matches its pattern; a shorter one if no repetition matches. */
function largestText({ pattern, format, minLength = 0, maxLength = 1024 }: JsonSchema, room: Room): string {
  const length = Math.max(minLength, Math.min(maxLength, room.bytes));
  if (format === 'email') return `${'x'.repeat(Math.max(1, Math.min(60, length - 12)))}@example.org`;
  if (format === 'date-time') return '2026-01-31T12:00:00Z';
  if (format === 'date') return '2026-01-31';
  if (format === 'uri') return `https://app.example/${'x'.repeat(Math.max(0, length - 20))}`;
  const fits = pattern === undefined ? () => true : (text: string) => new RegExp(pattern, 'u').test(text);
  for (let size = length; size > 0; size = Math.floor(size / 2)) {
    const found = letters.map((letter) => letter.repeat(size).slice(0, size)).find(fits);
    if (found !== undefined) return found;
  }
  return 'x'.repeat(length);
}

function sizeOf({ type, maxLength = 0, maxItems = 0 }: JsonSchema): number {
  return type === 'object' ? 1_000 : type === 'array' ? maxItems * 10 : maxLength;
}
