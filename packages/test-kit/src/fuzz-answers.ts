import assert from 'node:assert/strict';
import { seedNumber } from './seed.ts';

interface FuzzedService<Decision> {
  /** Names the case, and seeds it. */
  name: string;
  rounds: number;
  /** From now on responses pass through this before they are sent; undefined leaves them unchanged. */
  intercept(change: ((body: unknown) => unknown) | undefined): void;
  /** Returns what the adapter makes of the responses. It must throw only what its interface allows. */
  read(): Promise<Decision>;
  /** Whether the result of a corrupted response is as correct as that of the original: the same, or unknown. */
  isRight(got: Decision, truth: Decision): boolean;
  /** Fields that the service may omit, or whose absence has a meaning. */
  optional?: readonly string[];
}

/** Repeatedly replays the responses of a service with one of them corrupted, and checks each decision. */
export async function fuzzAnswers<Decision>(service: FuzzedService<Decision>): Promise<void> {
  const { name, rounds, intercept, read, isRight, optional } = service;
  let answers = 0;
  intercept((body) => {
    answers += 1;
    return body;
  });
  const truth = await read();
  intercept(undefined);
  assert.ok(answers > 0, `${name}: the service received a request`);
  const draw = drawFrom(seedNumber(`fuzz ${name}`));
  for (let round = 0; round < rounds; round += 1) {
    const spoiled = draw(answers);
    let place = 0;
    let mutation: Mutation | undefined;
    intercept((body) => {
      if (place++ === spoiled) mutation = mutateJson(body, draw, optional);
      return mutation !== undefined && place === spoiled + 1 ? mutation.body : body;
    });
    const about = () => `${name}, round ${round}: ${mutation?.kind} at ${mutation?.path} of answer ${spoiled}`;
    const got = await read().catch((error: unknown) => {
      throw new Error(`${about()}: the adapter threw ${String(error)}`, { cause: error });
    });
    intercept(undefined);
    if (!isRight(got, truth))
      assert.fail(`${about()}: ${JSON.stringify(got)} instead of ${JSON.stringify(truth)}`.slice(0, 2_000));
  }
}

/** Returns seeded integers from 0 to below `bound`. */
type Draw = (bound: number) => number;

/** Returns the same numbers for the same seed (xorshift32). */
function drawFrom(seedNumber: number): Draw {
  let state = seedNumber | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

interface Mutation {
  kind: 'drop' | 'retype' | 'nest' | 'empty' | 'truncate' | 'duplicate';
  /** The position in the response, for failure messages. */
  path: string;
  /** Sent instead of the original response. A string is sent unchanged, and is not JSON. */
  body: unknown;
}

interface Place {
  holder: Record<string | number, unknown>;
  key: string | number;
  path: string;
}

/** Values of another type than the field's; none of them could be read as a number or an id. */
const strangers: Readonly<Record<string, readonly unknown[]>> = {
  string: [null, {}, [], true],
  number: [null, 'x', {}, []],
  boolean: [null, 'x', {}, 7],
  object: [null, 'x', 7, []],
  array: [null, 'x', 7, {}],
  null: [{}, [], true],
};

/**
 * Corrupts a response in one place, in a way that a strict reader can notice: a field is dropped, has another type, is nested once more or
 * is empty, the text is truncated, or an entry of a list is duplicated. Fields that a service may omit are named in `optional`; they are
 * neither dropped nor set to null. Returns undefined if there is nothing to corrupt.
 */
function mutateJson(answer: unknown, draw: Draw, optional: readonly string[] = []): Mutation | undefined {
  const body: unknown = structuredClone(answer);
  const places = placesIn(body);
  const kinds = ['drop', 'retype', 'nest', 'empty', 'truncate', 'duplicate'] as const;
  for (let tries = 0; tries < 20; tries += 1) {
    const kind = kinds[draw(kinds.length)] ?? 'retype';
    if (kind === 'truncate') {
      const text = JSON.stringify(answer);
      if (text.length > 2) return { kind, path: '', body: text.slice(0, 1 + draw(text.length - 2)) };
      continue;
    }
    const place = places[draw(places.length)];
    if (place !== undefined && change(kind, place, draw, optional)) return { kind, path: place.path, body };
  }
  return undefined;
}

function change(kind: Mutation['kind'], { holder, key }: Place, draw: Draw, optional: readonly string[]): boolean {
  const value = holder[key];
  const isOptional = optional.includes(String(key));
  if (kind === 'duplicate') {
    // Lists of numbers are bytes: one more is another value, not a duplicate entry.
    if (!Array.isArray(holder) || typeof value === 'number') return false;
    holder.splice(Number(key), 0, structuredClone(value));
    return true;
  }
  if (kind === 'drop') {
    if (isOptional || Array.isArray(holder)) return false;
    delete holder[key];
    return true;
  }
  if (kind === 'nest') {
    holder[key] = draw(2) === 0 ? [value] : { value };
    return true;
  }
  if (kind === 'empty') {
    if (typeof value !== 'string' || value === '' || isOptional) return false;
    holder[key] = '';
    return true;
  }
  const others = (strangers[typeOf(value)] ?? []).filter((other) => other !== null || !isOptional);
  holder[key] = others[draw(others.length)];
  return true;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns every field and entry of a response, at all depths. */
function placesIn(value: unknown, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string | number, unknown>;
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [{ holder, key, path: `${path}/${key}` }, ...placesIn(holder[key], `${path}/${key}`)]);
}
