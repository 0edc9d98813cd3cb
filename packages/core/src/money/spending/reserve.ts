import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lockCoin, putSpending, type SpendingRow, sumSpendings } from './queries.ts';
import { getBudget } from './require-spender.ts';

const dayMs = 24 * 60 * 60 * 1000;
const retryAfterSeconds = 60 * 60;

/** What is to be paid. The same `reference` counts once, with the larger amount. */
export type Spending = Pick<SpendingRow, 'coin' | 'reference' | 'caller_id'> & { amount: bigint };

type SpendingContext = Pick<Context, 'clock' | 'settings'>;

/**
 * Takes an amount from the budgets, in the transaction in which it is decided to send it. Throws RATE_LIMITED when
 * nothing is left of one of them.
 */
export async function reserveSpending(ctx: SpendingContext, tx: Tx, spending: Spending): Promise<void> {
  await requireBudget(ctx, tx, spending);
  await putSpending(tx, { ...spending, amount: String(spending.amount), created_at: ctx.clock() });
}

/** Throws when the budgets have no room for the amount. Until the end of the transaction nobody else takes from them. */
export async function requireBudget(
  ctx: SpendingContext,
  tx: Tx,
  { coin, reference, caller_id, amount }: Spending,
): Promise<void> {
  const { total, perCaller } = getBudget(ctx.settings, coin);
  await lockCoin(tx, coin);
  const since = new Date(ctx.clock().getTime() - dayMs);
  const used = await sumSpendings(tx, { coin, reference, caller_id }, since);
  if (used.total + amount > total) throw usedUp(coin, 'it pays for everybody');
  if (used.ofCaller + amount > perCaller) throw usedUp(coin, 'it pays for one caller');
}

function usedUp(coin: string, what: string): AppError {
  return new AppError('RATE_LIMITED', `What ${what} on ${coin} within 24 hours is used up. Try again later.`, {
    retryAfterSeconds,
  });
}
