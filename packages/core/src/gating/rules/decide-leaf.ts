import type { Question } from '../../ports/index.ts';
import { accountsOf } from './accounts.ts';
import { formatAsset } from './caip.ts';
import { walletNamespaceOf } from './chain-ids.ts';
import { compareDecimals, type Decimal, formatDecimal } from './decimal.ts';
import type { AccountReading, DecideInput, LeafReason } from './decision.ts';
import { describeNeeded } from './describe-needed.ts';
import { type Holding, holdingOf, mergeHoldings, sumOf, toReading } from './holding.ts';
import { judgeHolding } from './judge-holding.ts';
import { QueryFailed } from './queries/query-failed.ts';
import type { Queries } from './queries/start-queries.ts';
import { questionKey, tokenIdsOf } from './questions.ts';
import type { AssetLeaf, HoldingLeaf } from './rule.ts';
import { anyOf, atLeastOf, type Truth, truthOf } from './truth.ts';

/** Decides a rule about an asset: any account that counts is enough, unless they count together. */
export async function decideAssetLeaf(leaf: AssetLeaf, input: DecideInput, queries: Queries): Promise<LeafReason> {
  const { asset } = leaf;
  const base = { kind: 'leaf' as const, rule: leaf.label, asset: formatAsset(asset), needed: describeNeeded(leaf) };
  const answerTo = (question: Question) => input.answers.get(questionKey(question));
  const { accounts, unknown } = accountsOf(leaf, input.wallets, answerTo);
  if (accounts.length === 0 && unknown.length === 0) {
    const note = `The member has no ${walletNamespaceOf(asset.chain)} wallet that counts on ${asset.chain}.`;
    return { ...base, truth: 'false', readings: [], note };
  }
  if (asset.tokenIds !== undefined && tokenIdsOf(asset, input) === undefined) {
    return { ...base, truth: 'unknown', readings: [], note: 'The list of token ids could not be read.' };
  }
  const holdings = accounts.map((account) => holdingOf(leaf, account, input));
  const vaults: AccountReading[] = unknown.map(({ delegate, reason }) => {
    return { wallet: delegate, chain: asset.chain, truth: 'unknown', note: reason };
  });
  if (leaf.kind === 'holding' && leaf.reading.sumWallets) return { ...base, ...addUp(leaf, holdings, vaults) };
  const merged = leaf.reading.sumWallets && leaf.kind !== 'safe' ? mergeHoldings(holdings) : undefined;
  const counted = merged === undefined ? holdings : [merged];
  const judged = await Promise.all(counted.map((holding) => judge(leaf, holding, queries)));
  const readings = [...judged, ...vaults];
  const truths = readings.map(({ truth }) => truth);
  const needed = leaf.kind === 'safe' && leaf.owners !== 'first' ? leaf.owners : 1;
  return { ...base, truth: merged === undefined ? atLeastOf(needed, truths) : mergedTruth(truths), readings };
}

// What a vault that is not known adds could turn a yes over everything into a no.
function mergedTruth(truths: readonly Truth[]): Truth {
  return truths.includes('unknown') ? 'unknown' : anyOf(truths);
}

async function judge(leaf: AssetLeaf, holding: Holding, queries: Queries): Promise<AccountReading> {
  if (holding.amount === undefined) return toReading(leaf.asset.chain, holding, 'unknown');
  try {
    const { truth, note } = await judgeHolding(leaf, holding, holding.amount, queries);
    return { ...toReading(leaf.asset.chain, holding, truth), ...(note !== undefined && { note }) };
  } catch (error) {
    if (!(error instanceof QueryFailed)) throw error;
    return { ...toReading(leaf.asset.chain, holding, 'unknown'), note: error.message };
  }
}

function addUp(leaf: HoldingLeaf, holdings: readonly Holding[], vaults: readonly AccountReading[]) {
  const sum = sumOf(holdings);
  const isComplete = holdings.every(({ amount }) => amount !== undefined) && vaults.length === 0;
  const truth = sumTruth(leaf, sum, isComplete);
  const readings = [...holdings.map((holding) => toReading(leaf.asset.chain, holding, truth)), ...vaults];
  return { truth, readings, sum: formatDecimal(sum) };
}

// Nobody holds less than nothing: what is missing can only add to the sum.
function sumTruth({ min, max }: HoldingLeaf, sum: Decimal, isComplete: boolean): Truth {
  if (max !== undefined && compareDecimals(sum, max) > 0) return 'false';
  const isEnough = compareDecimals(sum, min) >= 0;
  return isComplete || (isEnough && max === undefined) ? truthOf(isEnough) : 'unknown';
}
