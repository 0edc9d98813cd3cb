import { readFileSync } from 'node:fs';
import { resources } from '@latchkey/core';
import { describeApi, type Resource } from '@latchkey/kernel';

/** The committed OpenAPI documents, by file. Recorded examples are left out: they are files of their own. */
export const committedDescriptions = {
  'published.json': 'published',
  'latchkey.json': 'own',
} as const;

type FileName = keyof typeof committedDescriptions;

export const descriptionsFolder = new URL('../../openapi/', import.meta.url);

/** Writes a document as it is committed: paths in alphabetical order, so that unrelated additions merge. */
export function writeDescription(name: FileName): string {
  const part = committedDescriptions[name];
  const description = describeApi(resources as readonly Resource[], { serverUrl: 'https://latchkey.example', part });
  const paths = Object.entries(description.paths as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ ...description, paths: Object.fromEntries(paths) }, undefined, 1)}\n`;
}

/** Returns what differs from the committed document, one line per value: `+` is new, `-` is gone. */
export function changesSinceCommit(name: FileName, current = writeDescription(name)): string[] {
  const before = listValues(JSON.parse(readFileSync(new URL(name, descriptionsFolder), 'utf8')));
  const after = listValues(JSON.parse(current));
  const lines = (sign: string, some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
    [...some].flatMap(([place, value]) => (others.get(place) === value ? [] : [`${sign} ${place}: ${value}`]));
  return [...lines('-', before, after), ...lines('+', after, before)];
}

function listValues(value: unknown, place = '', values = new Map<string, string>()): Map<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) values.set(place, JSON.stringify(value));
  for (const [key, part] of entries) listValues(part, place === '' ? key : `${place} > ${key}`, values);
  return values;
}
