import { record, T, text, texts, type ValueOf } from '@latchkey/kernel';

export const NftTraits = record('NftTraits', 'One trait of a collection and the values it takes.', {
  type: T.Optional(text('The trait.')),
  values: T.Optional(texts('The values seen, in alphabetical order.')),
});
export type NftTraits = ValueOf<typeof NftTraits>;

// Metadata is third-party input, so both are bounded: a trait with more values is a number or a name, not a choice.
const maxTypes = 200;
const maxValues = 200;
const maxLength = 200;

/**
 * Summarizes which traits the tokens of a collection have, and which values. Metadata lists them as objects with
 * trait_type and value, or as a plain object. Other shapes are skipped.
 */
export function summarizeTraits(documents: readonly unknown[]): NftTraits[] {
  const seen = new Map<string, Set<string>>();
  for (const [type, value] of documents.flatMap(traitsOf)) {
    const values = seen.get(type) ?? new Set<string>();
    if (values.size < maxValues) values.add(value);
    if (seen.has(type) || seen.size < maxTypes) seen.set(type, values);
  }
  return [...seen]
    .map(([type, values]) => ({ type, values: [...values].toSorted(byName) }))
    .toSorted((a, b) => byName(a.type, b.type));
}

const byName = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function traitsOf(document: unknown): [string, string][] {
  const attributes = fieldOf(document, 'attributes') ?? fieldOf(document, 'traits');
  if (Array.isArray(attributes))
    return attributes.flatMap((trait) => pair(fieldOf(trait, 'trait_type'), fieldOf(trait, 'value')));
  if (typeof attributes !== 'object' || attributes === null) return [];
  return Object.entries(attributes).flatMap(([type, value]) => pair(type, value));
}

function pair(type: unknown, value: unknown): [string, string][] {
  if (typeof type !== 'string' || type.trim() === '') return [];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
  return [[type.trim().slice(0, maxLength), String(value).trim().slice(0, maxLength)]];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
