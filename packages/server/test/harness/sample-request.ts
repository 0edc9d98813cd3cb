import { type Operation, placeOf } from '@latchkey/kernel';
import { factsOf } from '../operation-facts/index.ts';
import type { Dice } from './dice.ts';
import { asJsonSchema, type JsonSchema } from './json-schema.ts';
import { fillList, largestValue, type Room } from './largest-value.ts';

/** A request before it is serialized, so that single parts of it can still be changed. */
export interface Draft {
  operation: Operation;
  method: string;
  /** Values of the path's parameters, not yet percent-encoded. */
  path: Record<string, string>;
  query: [name: string, value: string][];
  headers: [name: string, value: string][];
  body: unknown;
}

/** A value, or a function that generates one. */
export type Sample = string | number | readonly string[] | ((dice: Dice) => unknown);

/**
 * Values that cannot be derived from a schema, by name: `orgId` for a parameter or field anywhere, `PUT
 * /client-apps/{id} name` for that of one operation. The second kind is always set, even if it is optional.
 */
export type Samples = Readonly<Record<string, Sample>>;

/** Returns a valid request. Without dice it has only what is required. */
export function sampleRequest(operation: Operation, samples: Samples, dice?: Dice): Draft {
  const draft: Draft = { operation, method: operation.method, path: {}, query: [], headers: [], body: undefined };
  const sampler = { operation, samples, dice };
  for (const [name, schema] of Object.entries(operation.params)) {
    const place = placeOf(operation, name, schema);
    if (place !== 'path' && '~optional' in schema && !isWanted(sampler, name)) continue;
    const value = String(sampleField(sampler, name, asJsonSchema(schema)));
    if (place === 'path') draft.path[name] = value;
    else draft[place === 'query' ? 'query' : 'headers'].push([name, value]);
  }
  const isLeftOut = operation.body?.isOptional && !dice?.chance(0.7);
  if (operation.body !== undefined && !isLeftOut)
    draft.body = sampleField(sampler, 'body', asJsonSchema(operation.body.schema));
  return draft;
}

/** Bytes of a body, and of everything else: a head has up to 16 KiB, each path segment up to 4 KiB. */
const [mostBody, mostHead] = [1_000_000, 8_000];

/** Returns the largest request that the contract and the server allow. Samples are used unchanged. */
export function largestRequest(operation: Operation, samples: Samples): Draft {
  const draft: Draft = { operation, method: operation.method, path: {}, query: [], headers: [], body: undefined };
  const head = { operation, samples, dice: undefined, room: { bytes: mostHead } };
  for (const [name, schema] of Object.entries(operation.params)) {
    const place = placeOf(operation, name, schema);
    const value = String(sampleField(head, name, asJsonSchema(schema)));
    if (place === 'path') draft.path[name] = value.slice(0, 4_000);
    else draft[place === 'query' ? 'query' : 'headers'].push([name, value]);
  }
  const sampler = { ...head, room: { bytes: mostBody } };
  if (operation.body !== undefined) draft.body = sampleField(sampler, 'body', asJsonSchema(operation.body.schema));
  return draft;
}

interface Sampler {
  operation: Operation;
  samples: Samples;
  dice: Dice | undefined;
  /** The remaining space, if values are to be as large as possible. */
  room?: Room;
}

function isWanted({ operation, samples, dice, room }: Sampler, name: string): boolean {
  return (
    room !== undefined || findOwnSample({ operation, samples }, name) !== undefined || (dice?.chance(0.4) ?? false)
  );
}

/** Returns a test's sample for this operation, otherwise that of its entry in operation-facts. */
function findOwnSample(
  { operation, samples }: Pick<Sampler, 'operation' | 'samples'>,
  name: string,
): Sample | undefined {
  return samples[`${operation.route} ${name}`] ?? factsOf(operation).samples?.[name];
}

function sampleField(sampler: Sampler, name: string, schema: JsonSchema): unknown {
  const { samples, dice } = sampler;
  const given = findOwnSample(sampler, name) ?? samples[name];
  if (given === undefined) return sampleValue(sampler, name, schema);
  if (typeof given === 'function') return given(dice ?? firstDice);
  return schema.type === 'array' && !Array.isArray(given) ? [given] : given;
}

// Always picks the first.
const firstDice: Dice = { below: () => 0, chance: () => false, pick: (items) => items[0] as (typeof items)[number] };

function sampleValue(sampler: Sampler, name: string, schema: JsonSchema): unknown {
  const dice = sampler.dice ?? firstDice;
  const { room } = sampler;
  if (room !== undefined && schema.type === 'array')
    return fillList(schema, room, () => sampleValue(sampler, name, schema.items ?? {}));
  if (room !== undefined && (schema.type !== 'object' || schema.properties === undefined))
    return largestValue(schema, room);
  if (schema.enum !== undefined) return dice.pick(schema.enum);
  if (schema.anyOf !== undefined) return sampleValue(sampler, name, dice.pick(schema.anyOf));
  switch (schema.type) {
    case 'string':
      return sampleText(name, schema, dice);
    case 'number':
    case 'integer':
      return (schema.minimum ?? 0) + dice.below(Math.min(10, (schema.maximum ?? 10) - (schema.minimum ?? 0)));
    case 'boolean':
      return dice.chance(0.5);
    case 'array': {
      const count = (schema.minItems ?? 0) + dice.below(3);
      return Array.from({ length: count }, () => sampleValue(sampler, name, schema.items ?? {}));
    }
    case 'object':
      return sampleObject(sampler, schema);
    default:
      throw new Error(`${sampler.operation.route}: there is no sample for ${name} of type ${schema.type}.`);
  }
}

function sampleObject(sampler: Sampler, schema: JsonSchema): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name]) => schema.required?.includes(name) || isWanted(sampler, name),
  );
  const own = fields.map(([name, inner]) => [name, sampleField(sampler, name, inner)] as const);
  const isFree = schema.additionalProperties === true && own.length === 0;
  return isFree ? { hello: 'world', list: [1, null, { deep: true }] } : Object.fromEntries(own);
}

const words = ['sample', '123456', 'dev@example.org', 'https://app.example/', 'Zoë 日本 𝒳', 'a-b_c', '0x00', ' x '];

function sampleText(name: string, { pattern, format, minLength = 0, maxLength = 100 }: JsonSchema, dice: Dice): string {
  const fits = (word: string) =>
    word.length >= minLength &&
    word.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(word)) &&
    (format !== 'email' || word.includes('@'));
  const usual = words.filter(fits);
  // A hash or a key has a fixed length.
  const fitting = usual.length > 0 ? usual : ['k'.repeat(minLength)].filter(fits);
  if (fitting.length === 0) throw new Error(`No word fits ${name}: put a value for it among the samples.`);
  return dice.pick(fitting);
}
