import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { beginDeployment, findOpen, getSafes, lockTreasury } from '../treasuries/index.ts';
import { askChain, getTreasury, requirePayment } from './own-treasury.ts';
import { type TreasuryAction, toAction } from './records.ts';

type DeployContext = Pick<Context, 'actor' | 'clock' | 'db' | 'random' | 'safes' | 'settings'>;

/** Has the operator's account deploy a Safe. Asking again finds the same deployment. */
export async function deployTreasury(ctx: DeployContext, { address }: { address: string }): Promise<TreasuryAction> {
  const treasury = await getTreasury(ctx, address);
  const safes = getSafes(ctx, treasury.chain_id);
  const open = await findOpen(ctx.db.system, treasury.safe_address, 'deployment');
  if (open === undefined) {
    const { isDeployed } = await askChain(safes, (chain) => chain.readState(treasury.safe_address));
    if (isDeployed) throw new AppError('STATE_CONFLICT', 'This wallet is deployed already.');
    await requirePayment(ctx, treasury, principalId(ctx.actor));
  }
  const action = await ctx.db.transaction('system', async (tx) => {
    await lockTreasury(tx, treasury.safe_address);
    return beginDeployment(ctx, tx, treasury, principalId(ctx.actor));
  });
  return toAction(action);
}
