import { formatAsset } from './caip.ts';
import { compareDecimals, type Decimal, formatDecimal } from './decimal.ts';
import type { AssetItem } from './functions.ts';
import type { Holding } from './holding.ts';
import { askTraits, type Queries } from './queries/start-queries.ts';
import type { AssetLeaf, QueryLeaf, SafeLeaf, TraitsLeaf } from './rule.ts';
import { type Truth, truthOf } from './truth.ts';

interface Judgement {
  truth: Truth;
  note?: string;
}

/** Whether what one account holds is what a rule asks for. Throws `QueryFailed`. */
export async function judgeHolding(
  leaf: AssetLeaf,
  holding: Holding,
  amount: Decimal,
  queries: Queries,
): Promise<Judgement> {
  switch (leaf.kind) {
    case 'holding': {
      const isEnough = compareDecimals(amount, leaf.min) >= 0;
      return { truth: truthOf(isEnough && (leaf.max === undefined || compareDecimals(amount, leaf.max) <= 0)) };
    }
    case 'safe':
      return judgeOwner(leaf, holding, amount);
    case 'traits':
      return judgeTraits(leaf, holding, amount, queries);
    case 'query':
      return judgeQuery(leaf, holding, amount, queries);
  }
}

// The reader lists an owner's place among the owners as a token: 0 is the first.
function judgeOwner({ owners }: SafeLeaf, { tokens }: Holding, amount: Decimal): Judgement {
  const isOwner = amount.units > 0n;
  if (!isOwner || owners !== 'first') return { truth: truthOf(isOwner) };
  if (tokens === undefined) return { truth: 'unknown', note: 'Which owner of the Safe this is was not read.' };
  return { truth: truthOf(tokens.some(({ id }) => id === '0')) };
}

async function judgeTraits(
  { filter }: TraitsLeaf,
  { tokens = [] }: Holding,
  amount: Decimal,
  queries: Queries,
): Promise<Judgement> {
  if (tokens.length === 0 && amount.units > 0n) return { truth: 'unknown', note: 'The tokens were not listed.' };
  const isMet = await askTraits(queries, filter, tokens);
  const isWhole = tokens.every(({ metadata }) => metadata !== undefined);
  const canOnlyGrow = filter.filters.every(({ maxCount }) => maxCount === undefined);
  if (isWhole || (isMet && canOnlyGrow)) return { truth: truthOf(isMet) };
  return { truth: 'unknown', note: 'What some tokens say of themselves could not be read.' };
}

async function judgeQuery(
  { asset, query, variables }: QueryLeaf,
  { tokens = [] }: Holding,
  amount: Decimal,
  queries: Queries,
): Promise<Judgement> {
  const { chain, standard, reference } = asset;
  const item: AssetItem = {
    asset: formatAsset({ chain, standard, reference }),
    balance: formatDecimal(amount),
    tokens: tokens.map(({ id, amount: balance, uri, metadata }) => ({
      id,
      balance,
      ...(uri !== undefined && { uri }),
      ...(metadata !== undefined && { metadata }),
    })),
  };
  return { truth: truthOf(await queries.ask({ kind: 'query', query, input: [item], variables })) };
}
