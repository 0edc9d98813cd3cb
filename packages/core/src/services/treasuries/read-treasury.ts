import { type SafeState, SafesUnavailable } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { findDeployed, findOpen } from './action-queries.ts';
import { selectTreasury, type TreasuryRow } from './queries.ts';
import { findSafes, type Holder } from './treasury.ts';

type ReadContext = Pick<Context, 'db' | 'safes'>;

export const treasuryStatuses = ['COUNTERFACTUAL', 'DEPLOYING', 'DEPLOYED'] as const;

/** The state of a wallet on its chain. What the chain did not return is absent. */
export interface TreasuryView {
  status: (typeof treasuryStatuses)[number];
  txHash?: string;
  /** In the smallest unit of the chain's coin. */
  balance?: bigint;
  ownerAddress: string;
}

export async function describeHolder(ctx: ReadContext, holder: Holder): Promise<TreasuryView | undefined> {
  const treasury = await selectTreasury(ctx.db.system, holder);
  return treasury === undefined ? undefined : describeTreasury(ctx, treasury);
}

export async function describeTreasury(ctx: ReadContext, treasury: TreasuryRow): Promise<TreasuryView> {
  const { safe_address } = treasury;
  const [state, deployed, deploying] = await Promise.all([
    readSafe(ctx, treasury),
    findDeployed(ctx.db.system, safe_address),
    findOpen(ctx.db.system, safe_address, 'deployment'),
  ]);
  const isDeployed = state?.isDeployed ?? deployed !== undefined;
  const txHash = isDeployed ? deployed?.tx_hash : null;
  return {
    status: isDeployed ? 'DEPLOYED' : deploying !== undefined ? 'DEPLOYING' : 'COUNTERFACTUAL',
    ...(txHash != null && { txHash }),
    ...(state !== undefined && { balance: state.balance }),
    ownerAddress: state?.owners[0] ?? treasury.handed_over_to ?? treasury.owner_address,
  };
}

/** Undefined if the chain is unavailable, which says nothing about the wallet. */
async function readSafe(ctx: ReadContext, treasury: TreasuryRow): Promise<SafeState | undefined> {
  try {
    return await findSafes(ctx, treasury.chain_id)?.readState(treasury.safe_address);
  } catch (error) {
    if (error instanceof SafesUnavailable) return undefined;
    throw error;
  }
}
