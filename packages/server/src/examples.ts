import { readdirSync, readFileSync } from 'node:fs';

/** A call as a test made it and the server answered it, tidied for readers. */
export interface Example {
  request: { path: string; query?: Record<string, string>; headers?: Record<string, string>; body?: unknown };
  response: ExampleAnswer;
  /** What the same call is answered with where something is wrong with it, in the order of their statuses. */
  refusals?: ExampleAnswer[];
}

export interface ExampleAnswer {
  status: number;
  type?: string;
  location?: string;
  body?: unknown;
}

/** Recorded calls by route. */
export type Examples = Record<string, Example>;

/** A stored example: operations share most refusals, so an example names its own by their keys in `refusals.json`. */
export interface StoredExample extends Omit<Example, 'refusals'> {
  refusals?: string[];
}

/** One file for each resource, and one with every distinct refusal. */
export const examplesFolder = new URL('../examples/', import.meta.url);
export const refusalsFile = 'refusals.json';

/** The recorded calls of all operations. */
export function readExamples(): Examples {
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, examplesFolder), 'utf8'));
  const refusals: Record<string, ExampleAnswer> = read(refusalsFile);
  const files = readdirSync(examplesFolder).filter((name) => name.endsWith('.json') && name !== refusalsFile);
  const stored = files.flatMap((name) => Object.entries<StoredExample>(read(name)));
  return Object.fromEntries(stored.map(([route, example]) => [route, withRefusals(example, refusals)]));
}

function withRefusals({ refusals: keys, ...example }: StoredExample, refusals: Record<string, ExampleAnswer>): Example {
  if (keys === undefined) return example;
  const answers = keys.map((key) => {
    const refusal = refusals[key];
    if (refusal === undefined) throw new Error(`${refusalsFile} has no "${key}".`);
    return refusal;
  });
  return { ...example, refusals: answers };
}
