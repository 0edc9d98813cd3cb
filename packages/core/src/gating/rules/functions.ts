import { isObject, matchesTokenIds, parseTokenIds } from '@latchkey/kernel';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  subtractDecimals,
  toDecimal,
  zero,
} from '../../shared/decimal.ts';
import { parseCaipAsset } from './caip.ts';
import { collectProblems } from './problems.ts';
import { QueryFailed } from './queries/query-failed.ts';
import { readBounds, readTokenFilter, readTokenIds, readTraitFilter } from './read-filter.ts';
import type { QueryFunctionName } from './reserved-names.ts';
import { meetsTokenFilter, meetsTraitFilter, type RunQuery } from './traits.ts';

/** An asset as a query sees it. */
export interface AssetItem {
  asset: string;
  balance: string;
  tokens: readonly TokenItem[];
}

interface TokenItem {
  id: string;
  balance: string;
  uri?: string;
  metadata?: Readonly<Record<string, unknown>>;
}

/**
 * The functions that queries have in addition to JSONata's. Numbers are exact decimals, given as strings or numbers.
 */
export function queryFunctions(run: RunQuery): Record<QueryFunctionName, (...args: never[]) => unknown> {
  return {
    between: (value: unknown, min: unknown, max: unknown) => order(value, min) >= 0 && order(value, max) <= 0,
    includes: (list: unknown, value: unknown) => listOf(list).some((item) => isEqual(item, value)),
    intersect: (a: unknown, b: unknown) => listOf(a).filter((item) => listOf(b).some((other) => isEqual(item, other))),
    compare: order,
    eq: (a: unknown, b: unknown) => order(a, b) === 0,
    ne: (a: unknown, b: unknown) => order(a, b) !== 0,
    gt: (a: unknown, b: unknown) => order(a, b) > 0,
    gte: (a: unknown, b: unknown) => order(a, b) >= 0,
    lt: (a: unknown, b: unknown) => order(a, b) < 0,
    lte: (a: unknown, b: unknown) => order(a, b) <= 0,
    add: (a: unknown, b: unknown) => formatDecimal(addDecimals(numberOf(a), numberOf(b))),
    sub: (a: unknown, b: unknown) => formatDecimal(subtractDecimals(numberOf(a), numberOf(b))),
    addAll: (list: unknown) => formatDecimal(listOf(list).map(numberOf).reduce(addDecimals, zero)),
    toString: (value: unknown) => textOf(value),
    inRanges: (id: unknown, ranges: unknown) => matchesTokenIds(parseTokenIds(String(ranges)), String(id)),
    ownsTraits: (assets: unknown, filter: unknown) => {
      const problems = collectProblems();
      const traits = readTraitFilter(filter, '', problems);
      problems.throwIfAny();
      return meetsTraitFilter(traits, tokensOf(assets, filter), run);
    },
    ownsTraitsPerToken: (tokens: unknown, filter: unknown) => {
      const problems = collectProblems();
      const traits = readTokenFilter(filter, '', problems);
      problems.throwIfAny();
      return meetsTokenFilter(traits, listOf(tokens).flatMap(toHeldToken), run);
    },
    ownsBalance,
  };
}

function ownsBalance(assets: unknown, filter: unknown): boolean {
  if (!isObject(filter)) throw new QueryFailed('$ownsBalance needs a filter.');
  const problems = collectProblems();
  const { min, max } = readBounds(filter.minCount, filter.maxCount, '', ['minCount', 'maxCount'], problems);
  const tokenIds = filter.tokenId === undefined ? undefined : readTokenIds(filter.tokenId, '/tokenId', problems);
  problems.throwIfAny();
  const amounts =
    tokenIds === undefined || 'url' in tokenIds
      ? itemsOf(assets, filter).map(({ balance }) => numberOf(balance ?? '0'))
      : tokensOf(assets, filter)
          .filter(({ id }) => matchesTokenIds(tokenIds, id))
          .map(({ amount }) => numberOf(amount));
  const sum = amounts.reduce(addDecimals, zero);
  return compareDecimals(sum, min) >= 0 && (max === undefined || compareDecimals(sum, max) <= 0);
}

function tokensOf(assets: unknown, filter: unknown) {
  return itemsOf(assets, filter).flatMap(({ tokens }) => listOf(tokens).flatMap(toHeldToken));
}

function itemsOf(assets: unknown, filter: unknown): Record<string, unknown>[] {
  const items = listOf(assets).filter(isObject);
  const wanted = isObject(filter) && typeof filter.asset === 'string' ? assetName(filter.asset) : undefined;
  return wanted === undefined ? items : items.filter(({ asset }) => assetName(String(asset)) === wanted);
}

// The same asset can be written evm:1/ERC20:0xAB… or eip155:1/erc20:0xab….
function assetName(text: string): string {
  const caip = parseCaipAsset(text);
  return (caip === undefined ? text : `${caip.chain}/${caip.namespace}:${caip.reference}`).toLowerCase();
}

function toHeldToken(token: unknown) {
  if (!isObject(token)) return [];
  const { id, balance, amount, metadata } = token;
  const held = { id: textOf(id), amount: textOf(balance ?? amount ?? '1') };
  return [isObject(metadata) ? { ...held, metadata } : held];
}

function order(a: unknown, b: unknown): number {
  return compareDecimals(numberOf(a), numberOf(b));
}

function isEqual(a: unknown, b: unknown): boolean {
  return textOf(a) === textOf(b);
}

function numberOf(value: unknown): Decimal {
  const number = toDecimal(value);
  if (number === undefined) throw new QueryFailed(`A number was expected, not ${textOf(value).slice(0, 40)}.`);
  return number;
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
