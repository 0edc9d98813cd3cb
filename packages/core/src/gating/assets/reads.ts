import { parseDecimal, type RuleWallet } from '../rules/index.ts';
import type { AssetListItem, AssetOwnershipEntry } from './asset.ts';
import {
  type AssetContext,
  coinOf,
  type NamedAsset,
  needsOfList,
  openAssets,
  openOwner,
  readHoldings,
} from './read-assets.ts';

interface AccountRequest {
  account: string;
  assets?: readonly string[];
}

/** What an account holds of the named assets, or of its chain's own coin. */
export async function getAssets(ctx: AssetContext, { account, assets }: AccountRequest): Promise<AssetListItem[]> {
  const named = openAssets(assets ?? [coinOf(account)]);
  const answers = await readHoldings(ctx, await openOwner(ctx, account, named), named, needsOfList);
  return named.map(({ text }, index) => {
    const answer = answers[index];
    if (answer?.kind !== 'read') return { asset: text };
    const tokens = answer.tokens?.map(({ id, amount, uri, metadata }) => ({
      id,
      balance: amount,
      ...(uri !== undefined && { uri }),
      ...(metadata !== undefined && { metadata }),
    }));
    return { asset: text, balance: answer.amount, ...(tokens !== undefined && { tokens }) };
  });
}

/** Which of the named assets an account owns, or whether it owns any of its chain's own coin. */
export async function getOwnership(
  ctx: AssetContext,
  { account, assets }: AccountRequest,
): Promise<{ assets: AssetOwnershipEntry[] }> {
  const named = openAssets(assets ?? [coinOf(account)]);
  return { assets: await readOwnership(ctx, await openOwner(ctx, account, named), named) };
}

/** Whether the wallets own any of each asset. What could not be read is neither owned nor not. */
export async function readOwnership(
  ctx: AssetContext,
  wallets: readonly RuleWallet[],
  named: readonly NamedAsset[],
): Promise<AssetOwnershipEntry[]> {
  const answers = await readHoldings(ctx, wallets, named, ({ needs }) => needs);
  return named.map(({ text }, index) => {
    const answer = answers[index];
    const amount = answer?.kind === 'read' ? parseDecimal(answer.amount) : undefined;
    return { asset: text, ...(amount !== undefined && { owner: amount.units > 0n }) };
  });
}
