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

/** Where they are kept, in one file for each resource. */
export const examplesFolder = new URL('../examples/', import.meta.url);

/** The recorded calls of all operations. */
export function readExamples(): Examples {
  const files = readdirSync(examplesFolder).filter((name) => name.endsWith('.json'));
  return Object.assign({}, ...files.map((name) => JSON.parse(readFileSync(new URL(name, examplesFolder), 'utf8'))));
}
