import { existsSync, readdirSync, readFileSync } from 'node:fs';

export { type RecordedStep, type Recording, readPlaygroundStories } from './playground-stories.ts';

/** A recorded call of a test with the server's response, cleaned up for readers. */
export interface Example {
  request: { path: string; query?: Record<string, string>; headers?: Record<string, string>; body?: unknown };
  response: ExampleAnswer;
  /** Error responses to the same call, ordered by status. */
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

/**
 * A stored example. Operations share most error responses, so an example refers to them by their keys in
 * `refusals.json`.
 */
export interface StoredExample extends Omit<Example, 'refusals'> {
  refusals?: string[];
}

/** One file per resource, and one with every distinct error response. */
export const examplesFolder = new URL('../examples/', import.meta.url);
export const refusalsFile = 'refusals.json';

/** A recorded refusal with a code, and the operation that responded with it. */
export interface CodeExample {
  route: string;
  answer: ExampleAnswer;
}

export const codeExamplesFile = new URL('by-code/refusals.json', examplesFolder);

/** Returns a recorded refusal for each error code. Operations that declare a code and have no refusal of their own show it. */
export function readCodeExamples(): Record<string, CodeExample> {
  return existsSync(codeExamplesFile) ? JSON.parse(readFileSync(codeExamplesFile, 'utf8')) : {};
}

/** Returns the recorded calls of all operations. */
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
