import type { Dice } from './dice.ts';
import { hostileTexts, hostileValues } from './hostile-values.ts';
import { asJsonSchema, type JsonSchema } from './json-schema.ts';
import type { Draft } from './sample-request.ts';

/** Changes one part of a valid request; returns false if the request does not have it. */
type Mutation = (draft: Draft, dice: Dice) => boolean;

/** Fields that only the server sets. */
const serverFields: readonly [name: string, value: unknown][] = [
  ['status', 'APPROVED'],
  ['planId', 'paid'],
  ['createdById', 'DIS#USER#mallory'],
  ['userId', 'DIS#USER#mallory'],
  ['apiKeyHash', '0'.repeat(64)],
  ['allowedScopes', ['$all']],
  ['actions', []],
  ['isAdmin', true],
];

const mutations: readonly Mutation[] = [
  alterParameter,
  alterParameter,
  dropField,
  replaceField,
  replaceField,
  replaceField,
  overfillField,
  overfillField,
  addField,
  addQuery,
  repeatQuery,
  changeIdempotencyKey,
  changeBodyType,
];

/** Returns a request that is one change away from being valid. */
export function mutateRequest(draft: Draft, dice: Dice): Draft {
  while (!dice.pick(mutations)(draft, dice));
  return draft;
}

function alterParameter(draft: Draft, dice: Dice): boolean {
  const names = Object.keys(draft.operation.params);
  if (names.length === 0) return false;
  const name = dice.pick(names);
  const schema = asJsonSchema(draft.operation.params[name] ?? {});
  const value = dice.pick([...outside(schema), ...hostileTexts]);
  if (name in draft.path) draft.path[name] = String(value);
  else draft.query = [...draft.query.filter(([other]) => other !== name), [name, String(value)]];
  return true;
}

/** Returns values just outside of what a schema allows. */
function outside({ type, minimum = 0, maximum = 100, minLength = 0, maxLength = 1024, enum: words }: JsonSchema) {
  if (type === 'number' || type === 'integer') return [minimum - 1, maximum + 1, 'ten', '', 'true', '[1]'];
  if (words !== undefined) return ['OTHER', String(words[0]).toLowerCase(), ` ${words[0]}`];
  return ['x'.repeat(maxLength + 1), 'x'.repeat(Math.max(0, minLength - 1)), 'x'.repeat(maxLength)];
}

/** Returns the object whose fields are changed: the body itself, or one of a list. */
function someObject({ body }: Draft, dice: Dice): Record<string, unknown> | undefined {
  const target = Array.isArray(body) && body.length > 0 ? dice.pick(body) : body;
  return typeof target === 'object' && target !== null && !Array.isArray(target)
    ? (target as Record<string, unknown>)
    : undefined;
}

function schemaOfBody({ operation }: Draft): JsonSchema {
  const schema = asJsonSchema(operation.body?.schema ?? {});
  return schema.items ?? schema;
}

function dropField(draft: Draft, dice: Dice): boolean {
  const target = someObject(draft, dice);
  if (target === undefined || Object.keys(target).length === 0) return false;
  delete target[dice.pick(Object.keys(target))];
  return true;
}

function replaceField(draft: Draft, dice: Dice): boolean {
  const target = someObject(draft, dice);
  if (target === undefined) return false;
  const name = dice.pick([...Object.keys(schemaOfBody(draft).properties ?? {}), 'url']);
  const value = dice.pick(hostileValues);
  target[name] = Array.isArray(target[name]) && dice.chance(0.5) ? [value] : value;
  return true;
}

function overfillField(draft: Draft, dice: Dice): boolean {
  const target = someObject(draft, dice);
  const fields = Object.entries(schemaOfBody(draft).properties ?? {});
  if (target === undefined || fields.length === 0) return false;
  const [name, schema] = dice.pick(fields);
  if (schema.type === 'array') target[name] = Array.from({ length: (schema.maxItems ?? 10) + 1 }, () => 'x');
  else target[name] = dice.pick(outside(schema));
  return true;
}

function addField(draft: Draft, dice: Dice): boolean {
  const target = someObject(draft, dice);
  if (target === undefined) return false;
  const [name, value] = dice.pick(serverFields);
  target[name] = value;
  return true;
}

function addQuery(draft: Draft, dice: Dice): boolean {
  draft.query.push([
    dice.pick(['filter', 'userId', '__proto__', 'limit', 'x-api-key', 'a[b][c]']),
    dice.pick(hostileTexts),
  ]);
  return true;
}

function repeatQuery(draft: Draft, dice: Dice): boolean {
  if (draft.query.length === 0) return false;
  draft.query.push([...dice.pick(draft.query)]);
  return true;
}

/** Few keys for many requests, so that some repeat a request and some are used with another one. */
function changeIdempotencyKey(draft: Draft, dice: Dice): boolean {
  if (draft.operation.contract.repeatable !== true) return false;
  const odd = ['x'.repeat(255), 'x'.repeat(256), 'two words', 'é', '""'];
  draft.headers.push(['idempotency-key', dice.chance(0.7) ? `key-${dice.below(4)}` : dice.pick(odd)]);
  return true;
}

function changeBodyType(draft: Draft, dice: Dice): boolean {
  if (draft.body === undefined) return false;
  draft.body = dice.pick([null, [], {}, 'text', 1, [draft.body], { body: draft.body }, JSON.stringify(draft.body)]);
  return true;
}
