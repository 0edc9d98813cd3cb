import type { Context } from '../../context.ts';
import type { SafeState, Safes } from '../../ports/index.ts';
import { type ActionRow, findOpen, updateAction } from './action-queries.ts';
import { announceAction } from './announce.ts';
import { enqueueSending } from './begin.ts';
import { lockTreasury, setHandedOver, type TreasuryRow } from './queries.ts';

type SettleContext = Pick<Context, 'clock' | 'db'>;

export interface Settlement {
  state: 'done' | 'failed';
  txHash?: string | undefined;
  problem?: string;
}

/** What the chain says of an action; undefined while it has not happened. */
export async function findSettlement(
  safes: Safes,
  action: ActionRow,
  state: SafeState,
): Promise<Settlement | undefined> {
  const happened = action.kind === 'deployment' ? state.isDeployed : state.nonce > BigInt(action.nonce ?? 0);
  if (!happened) return undefined;
  for (const txHash of action.tx_hashes.toReversed()) {
    const outcome = await safes.outcomeOf(txHash);
    if (outcome === 'done') return { state: 'done', txHash };
    if (outcome === 'failed')
      return { state: 'failed', txHash, problem: 'The chain ran the transfer, and it failed. Nothing was moved.' };
  }
  // Whoever sees a signed move can send it, and anybody can deploy a Safe: it happened, by a transaction of theirs.
  return { state: 'done' };
}

/** Writes down how an action ended, and lets what waited for it go on. */
export async function settle(
  ctx: SettleContext,
  treasury: TreasuryRow,
  action: ActionRow,
  { state, txHash, problem }: Settlement,
): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    await lockTreasury(tx, treasury.safe_address);
    const updated_at = ctx.clock();
    await updateAction(tx, action.id, { state, tx_hash: txHash ?? null, problem: problem ?? null, updated_at });
    if (action.kind === 'hand-over' && state === 'done' && action.content.newOwner !== undefined)
      await setHandedOver(tx, treasury.safe_address, action.content.newOwner);
    await announceAction(tx, treasury, action);
    if (action.kind !== 'deployment') return;
    const move = await findOpen(tx, treasury.safe_address, 'move');
    if (move === undefined) return;
    if (state === 'done') await enqueueSending(tx, treasury, move.id);
    else await updateAction(tx, move.id, { state: 'failed', problem: 'The wallet could not be deployed.', updated_at });
  });
}
