import { AppError, notFound } from '@latchkey/kernel';
import { type Safes, SafesRefusal, SafesUnavailable } from '../../ports/index.ts';
import { isOperator, requireBudget, requireSpender } from '../../services/spending/index.ts';
import { coinOf, findTreasury, type TreasuryRow } from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';

export async function getTreasury(ctx: Pick<Context, 'db'>, address: string): Promise<TreasuryRow> {
  const treasury = await findTreasury(ctx.db.system, address);
  if (treasury === undefined) throw notFound('treasury');
  return treasury;
}

/**
 * Throws unless the operator pays fees for the caller and the budget is not used up. The cost is reserved once it is
 * signed.
 */
export async function requirePayment(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'settings'>,
  { chain_id }: TreasuryRow,
  callerId: string,
): Promise<void> {
  const coin = coinOf(chain_id);
  requireSpender(ctx, coin);
  if (isOperator(ctx.actor)) return;
  const least = { coin, reference: '', caller_id: callerId, amount: 1n };
  await ctx.db.transaction('system', (tx) => requireBudget(ctx, tx, least));
}

const retryAfterSeconds = 15;

/** Calls the chain for a waiting caller: its refusal is a conflict, and its outage is not the caller's fault. */
export async function askChain<Answer>(safes: Safes, ask: (safes: Safes) => Promise<Answer>): Promise<Answer> {
  try {
    return await ask(safes);
  } catch (error) {
    if (error instanceof SafesRefusal) throw new AppError('STATE_CONFLICT', error.message);
    if (error instanceof SafesUnavailable)
      throw new AppError('UNAVAILABLE', 'The chain of this wallet cannot be reached. Try again shortly.', {
        retryAfterSeconds,
      });
    throw error;
  }
}
