import { isObject, parseTokenIds, type TokenIdSet, TokenIdsMalformed } from '@latchkey/kernel';
import { compareDecimals, type Decimal, one, toDecimal } from '../../shared/decimal.ts';
import { maxQueryTextInRule, type Problems } from './problems.ts';
import { type Query, QueryMalformed, readQuery } from './queries/read-query.ts';
import type { TokenFilter, TraitFilter, TraitTest } from './traits.ts';

const maxParts = 100;

/** Parses `variables._filter` of a rule about traits. */
export function readTraitFilter(value: unknown, path: string, problems: Problems): TraitFilter {
  if (value !== undefined && !isObject(value)) problems.add(path, 'type', 'a filter must be an object.');
  const filter = isObject(value) ? value : {};
  const tokenIds = filter.tokenId === undefined ? undefined : readTokenIds(filter.tokenId, `${path}/tokenId`, problems);
  return {
    ...(tokenIds !== undefined && !('url' in tokenIds) && { tokenIds }),
    condition: readCondition(filter.condition, `${path}/condition`, problems),
    filters: listOf(filter.filters, `${path}/filters`, problems).map((part, index) =>
      readTokenFilter(part, `${path}/filters/${index}`, problems),
    ),
  };
}

export function readTokenFilter(value: unknown, path: string, problems: Problems): TokenFilter {
  if (!isObject(value)) problems.add(path, 'type', 'each filter must be an object with traits.');
  const filter = isObject(value) ? value : {};
  const bounds = readBounds(filter.minCount, filter.maxCount, path, ['minCount', 'maxCount'], problems);
  return {
    minCount: bounds.min,
    ...(bounds.max !== undefined && { maxCount: bounds.max }),
    condition: readCondition(filter.condition, `${path}/condition`, problems),
    traits: listOf(filter.traits, `${path}/traits`, problems).map((trait, index) =>
      readTrait(trait, `${path}/traits/${index}`, problems),
    ),
  };
}

function readTrait(value: unknown, path: string, problems: Problems): TraitTest {
  if (!isObject(value) || typeof value.trait_type !== 'string') {
    problems.add(path, 'required', 'a trait must have a trait_type and a value.');
    return { type: '', value: undefined };
  }
  const { trait_type: type, value: wanted } = value;
  if (typeof wanted !== 'string' || !wanted.startsWith('$')) return { type, value: wanted };
  const query = readQueryInRule(wanted, `${path}/value`, problems);
  return query === undefined ? { type, value: undefined } : { type, query };
}

/** Parses a minimum and a maximum amount; the default is 1 or more. */
export function readBounds(
  min: unknown,
  max: unknown,
  path: string,
  [minName, maxName]: readonly [string, string],
  problems: Problems,
): { min: Decimal; max?: Decimal } {
  const least = readAmount(min, `${path}/${minName}`, problems) ?? one;
  const most = readAmount(max, `${path}/${maxName}`, problems);
  if (most === undefined) return { min: least };
  if (compareDecimals(least, most) > 0) {
    problems.add(`${path}/${maxName}`, 'range', `${maxName} must not be less than ${minName}.`);
  }
  return { min: least, max: most };
}

function readAmount(value: unknown, path: string, problems: Problems): Decimal | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const amount = toDecimal(value);
  if (amount === undefined) problems.add(path, 'decimal', 'an amount must be a plain decimal such as "1" or "0.25".');
  else if (amount.units < 0n) problems.add(path, 'range', 'an amount cannot be negative.');
  else return amount;
  return undefined;
}

/** Parses a token id expression, or the URL of a token list. */
export function readTokenIds(
  value: unknown,
  path: string,
  problems: Problems,
): TokenIdSet | { url: string } | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') {
    problems.add(path, 'type', 'token ids must be a string such as "1, 5-10".');
    return undefined;
  }
  if (/^https?:\/\//i.test(text.trim())) {
    const url = URL.parse(text.trim());
    if (url !== null && url.username === '' && url.password === '') return { url: url.href };
    problems.add(path, 'url', 'this token list URL is not valid.');
    return undefined;
  }
  try {
    return parseTokenIds(text);
  } catch (error) {
    if (!(error instanceof TokenIdsMalformed)) throw error;
    problems.add(path, 'tokenId', atCharacter(error.message, error.position));
    return undefined;
  }
}

function readCondition(value: unknown, path: string, problems: Problems): 'and' | 'or' {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === 'or') return 'or';
  if (word !== undefined && word !== 'and') problems.add(path, 'enum', 'a condition must be "and" or "or".');
  return 'and';
}

function listOf(value: unknown, path: string, problems: Problems): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) problems.add(path, 'type', 'this must be a list.');
  else if (value.length > maxParts) problems.add(path, 'maxItems', `this list can have at most ${maxParts} items.`);
  else return value;
  return [];
}

/** Adds a position in a text to a sentence about it; positions count from 0. */
function atCharacter(sentence: string, position: number): string {
  return `${sentence.replace(/\.$/, '')} (at character ${position + 1}).`;
}

/**
 * Parses a query of a rule. Parsing blocks this thread, so the total length per rule is limited, and queries that were
 * parsed when the rule was saved are not parsed again: if one is invalid after all, it fails when it runs.
 */
export function readQueryInRule(text: string, path: string, problems: Problems): Query | undefined {
  if (problems.trustsQueries) return { text };
  problems.queryRoom -= text.length;
  if (problems.queryRoom < 0) {
    problems.add(
      path,
      'maxLength',
      `all queries in a rule can have at most ${maxQueryTextInRule} characters in total.`,
    );
    return undefined;
  }
  try {
    return readQuery(text);
  } catch (error) {
    if (!(error instanceof QueryMalformed)) throw error;
    const { message, position } = error;
    problems.add(path, 'query', position === undefined ? message : atCharacter(message, position));
    return undefined;
  }
}
