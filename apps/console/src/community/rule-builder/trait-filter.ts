import { isObject } from '../../shared/is-object.ts';

/** A test of one trait, as people read it. */
export interface TraitRow {
  type: string;
  test: TraitTest;
  value: string;
}

/** `query`: an expression over the value, which starts with `$`. */
export type TraitTest = 'is' | 'not' | 'over' | 'atLeast' | 'under' | 'atMost' | 'query';

/** Tokens of one sort: how many of them, and which traits make a token one of them. */
export interface TraitGroup {
  count: string;
  most: string;
  needsAll: boolean;
  rows: readonly TraitRow[];
}

export interface TraitFilter {
  needsAll: boolean;
  groups: readonly TraitGroup[];
}

const comparisons = { over: '>', atLeast: '>=', under: '<', atMost: '<=', not: '!=' } as const;

/** Reads a filter as the API carries it; undefined for one that holds something else. */
export function readTraitFilter(filter: unknown): TraitFilter | undefined {
  if (filter === undefined) return { needsAll: false, groups: [] };
  if (!isObject(filter) || hasOthers(filter, ['condition', 'filters'])) return undefined;
  const groups = listOf(filter.filters)?.map(readGroup);
  if (groups === undefined || groups.some((group) => group === undefined)) return undefined;
  return { needsAll: isAll(filter.condition), groups: groups.filter((group) => group !== undefined) };
}

function readGroup(part: unknown): TraitGroup | undefined {
  if (!isObject(part) || hasOthers(part, ['minCount', 'maxCount', 'condition', 'traits'])) return undefined;
  const traits = listOf(part.traits ?? []);
  const rows = traits?.map(readRow);
  if (rows === undefined || rows.some((row) => row === undefined)) return undefined;
  return {
    count: plain(part.minCount),
    most: plain(part.maxCount),
    needsAll: isAll(part.condition),
    rows: rows.filter((row) => row !== undefined),
  };
}

function readRow(trait: unknown): TraitRow | undefined {
  if (!isObject(trait) || typeof trait.trait_type !== 'string' || isObject(trait.value)) return undefined;
  const { trait_type: type, value } = trait;
  const text = plain(value);
  if (!text.startsWith('$')) return { type, test: 'is', value: text };
  const [, sign, number, quoted] = /^\$\s*(>=|<=|!=|>|<)\s*(?:(-?\d+(?:\.\d+)?)|"([^"\\]*)")$/.exec(text) ?? [];
  const test = Object.entries(comparisons).find(([, one]) => one === sign)?.[0];
  if (!isComparison(test)) return { type, test: 'query', value: text };
  return { type, test, value: number ?? quoted ?? '' };
}

function isComparison(test: string | undefined): test is keyof typeof comparisons {
  return test !== undefined && Object.hasOwn(comparisons, test);
}

/** The filter as the API carries it; undefined without any group. */
export function writeTraitFilter({ needsAll, groups }: TraitFilter): Record<string, unknown> | undefined {
  if (groups.length === 0) return undefined;
  return { condition: needsAll ? 'and' : 'or', filters: groups.map(writeGroup) };
}

function writeGroup({ count, most, needsAll, rows }: TraitGroup): Record<string, unknown> {
  return {
    ...(count !== '' && { minCount: count }),
    ...(most !== '' && { maxCount: most }),
    condition: needsAll ? 'and' : 'or',
    traits: rows.map(({ type, test, value }) => ({ trait_type: type, value: writeValue(test, value) })),
  };
}

function writeValue(test: TraitTest, value: string): string {
  if (!isComparison(test)) return value;
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(value.trim());
  return `$ ${comparisons[test]} ${isNumber ? value.trim() : JSON.stringify(value)}`;
}

function isAll(condition: unknown): boolean {
  return typeof condition !== 'string' || condition.toLowerCase() !== 'or';
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function hasOthers(value: Readonly<Record<string, unknown>>, known: readonly string[]): boolean {
  return Object.keys(value).some((name) => !known.includes(name));
}

function plain(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}
