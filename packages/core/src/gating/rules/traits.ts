import { isObject, matchesTokenIds, type TokenIdSet } from '@latchkey/kernel';
import type { HeldToken } from '../../ports/index.ts';
import { addDecimals, compareDecimals, type Decimal, one, parseDecimal, zero } from '../../shared/decimal.ts';
import { isYes } from './queries/is-yes.ts';
import { QueryFailed } from './queries/query-failed.ts';
import type { Query } from './queries/read-query.ts';

/** Which tokens, by their metadata, and how many of each kind. */
export interface TraitFilter {
  tokenIds?: TokenIdSet;
  /** Whether all filters must be met, or one is enough. */
  condition: 'and' | 'or';
  filters: readonly TokenFilter[];
}

/** One kind of token: all, or any, of the traits must match. */
export interface TokenFilter {
  minCount: Decimal;
  maxCount?: Decimal;
  condition: 'and' | 'or';
  traits: readonly TraitTest[];
}

/** The trait must equal a value, or a query over its value must be true. */
export type TraitTest = { type: string; value: unknown } | { type: string; query: Query };

/** Runs a query over the value of a trait. Throws `QueryFailed`. */
export type RunQuery = (query: Query, input: unknown) => Promise<unknown>;

type Token = Pick<HeldToken, 'id' | 'amount' | 'metadata'>;

/** Whether the filter contains queries. */
export function hasQueries({ filters }: TraitFilter): boolean {
  return filters.some(({ traits }) => traits.some((trait) => 'query' in trait));
}

/** Whether these tokens meet the filter. An empty list of filters is met by every holder. */
export async function meetsTraitFilter(filter: TraitFilter, tokens: readonly Token[], run: RunQuery): Promise<boolean> {
  if (filter.filters.length === 0) return true;
  const { tokenIds } = filter;
  const counted = tokenIds === undefined ? tokens : tokens.filter(({ id }) => matchesTokenIds(tokenIds, id));
  const met: boolean[] = [];
  for (const part of filter.filters) met.push(await meetsTokenFilter(part, counted, run));
  return filter.condition === 'and' ? met.every(Boolean) : met.some(Boolean);
}

export async function meetsTokenFilter(filter: TokenFilter, tokens: readonly Token[], run: RunQuery): Promise<boolean> {
  let count = zero;
  for (const token of tokens) {
    if (await isOfSort(filter, token, run)) count = addDecimals(count, parseDecimal(token.amount) ?? one);
  }
  const { minCount, maxCount } = filter;
  return compareDecimals(count, minCount) >= 0 && (maxCount === undefined || compareDecimals(count, maxCount) <= 0);
}

// A filter without traits matches no token: one left empty by mistake must not grant access.
async function isOfSort({ condition, traits }: TokenFilter, token: Token, run: RunQuery): Promise<boolean> {
  const attributes = attributesOf(token.metadata);
  for (const trait of traits) {
    const has = await hasTrait(attributes, trait, run);
    if (has !== (condition === 'and')) return has;
  }
  return condition === 'and' && traits.length > 0;
}

interface Attribute {
  type: string;
  value: unknown;
}

/** The attributes in a token's metadata: a list of `{trait_type, value}`, or an object with a field for each trait. */
export function attributesOf(metadata: Readonly<Record<string, unknown>> | undefined): Attribute[] {
  const attributes = metadata?.attributes ?? metadata?.traits ?? metadata;
  if (Array.isArray(attributes)) {
    return attributes.flatMap((attribute: unknown) => {
      if (!isObject(attribute)) return [];
      const type = attribute.trait_type ?? attribute.type;
      return typeof type === 'string' ? [{ type: plain(type), value: attribute.value }] : [];
    });
  }
  return isObject(attributes) ? Object.entries(attributes).map(([type, value]) => ({ type: plain(type), value })) : [];
}

async function hasTrait(attributes: readonly Attribute[], trait: TraitTest, run: RunQuery): Promise<boolean> {
  const type = plain(trait.type);
  for (const attribute of attributes) {
    if (attribute.type !== type) continue;
    const fits =
      'query' in trait ? answersYes(trait.query, attribute.value, run) : isSameValue(attribute.value, trait.value);
    if (await fits) return true;
  }
  return false;
}

// Collections write numbers as strings, and a value that the query cannot handle does not match.
async function answersYes(query: Query, value: unknown, run: RunQuery): Promise<boolean> {
  const isNumber = typeof value === 'string' && parseDecimal(value.trim()) !== undefined;
  for (const form of isNumber ? [value, Number(value)] : [value]) {
    try {
      return isYes(await run(query, form));
    } catch (error) {
      if (!(error instanceof QueryFailed) || error.kind !== 'input') throw error;
    }
  }
  return false;
}

/** Loose equality: `"7"` equals 7, and strings are compared without case and surrounding spaces. */
export function isSameValue(held: unknown, wanted: unknown): boolean {
  if (Array.isArray(held)) return held.some((value) => isSameValue(value, wanted));
  if (!isPlain(held) || !isPlain(wanted)) return false;
  if (plain(String(held)) === plain(String(wanted))) return true;
  if (typeof held === typeof wanted || held === '' || wanted === '') return false;
  return Number(held) === Number(wanted);
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
