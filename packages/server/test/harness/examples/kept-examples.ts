import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';
import { type Example, type Examples, examplesFolder as folder } from '../../../src/examples.ts';

/** The file in which examples of an operation are kept: one for each resource. */
function fileOf(route: string): URL {
  const all = resources as readonly Resource[];
  const resource = all.find(({ operations }) => operations.some((operation) => operation.route === route));
  if (resource === undefined) throw new Error(`No resource has ${route}.`);
  return new URL(`${resource.name}.json`, folder);
}

export function readExample(route: string): Example | undefined {
  return readAll(fileOf(route))[route];
}

export function keepExample(route: string, example: Example): void {
  const file = fileOf(route);
  mkdirSync(folder, { recursive: true });
  const examples = Object.entries({ ...readAll(file), [route]: example }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`);
}

function readAll(file: URL): Examples {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
