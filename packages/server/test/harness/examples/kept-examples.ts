import { writeFileSync } from 'node:fs';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import {
  type Example,
  type ExampleAnswer,
  examplesFolder,
  readExamples,
  refusalsFile,
  type StoredExample,
} from '../../../src/examples.ts';

const examples = readExamples();

export function readExample(route: string): Example | undefined {
  return examples[route];
}

/** Stores an example in the file of its resource. Rewrites all files, so that no unused error response remains. */
export function keepExample(route: string, example: Example): void {
  examples[route] = example;
  const files: Record<string, Record<string, StoredExample | ExampleAnswer>> = {};
  const refusals: Record<string, ExampleAnswer> = {};
  for (const [route, { refusals: answers, ...example }] of sorted(examples)) {
    for (const answer of answers ?? []) refusals[keyOf(answer)] = answer;
    const stored = { ...example, ...(answers && { refusals: answers.map(keyOf) }) };
    const name = `${resourceOf(route)}.json`;
    files[name] = { ...files[name], [route]: stored };
  }
  files[refusalsFile] = Object.fromEntries(sorted(refusals));
  for (const [name, content] of Object.entries(files))
    writeFileSync(new URL(name, examplesFolder), `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Returns the status and message of an error response. A message names the missing object or field, so it is unique.
 */
function keyOf({ status, body }: ExampleAnswer): string {
  return `${status} ${(body as { error: { message: string } }).error.message}`;
}

function resourceOf(route: string): string {
  const all = resources as readonly Resource[];
  const resource = all.find(({ operations }) => operations.some((operation) => operation.route === route));
  if (resource === undefined) throw new Error(`No resource has ${route}.`);
  return resource.name;
}

function sorted<Value>(record: Record<string, Value>): [string, Value][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
