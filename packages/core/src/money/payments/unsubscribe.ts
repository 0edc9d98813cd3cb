import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getPlanForSale } from '../plans/index.ts';
import { notSet, unavailable } from './begin-checkout.ts';
import { selectSubscriptionOf } from './queries.ts';
import { ownSubscriber } from './subscriber.ts';

/** Ends a subscription with what is paid for, but not before the least number of months that the plan is sold for. */
export async function unsubscribe(
  ctx: Context,
  { planId, subscriberId }: { planId: string; subscriberId: string },
): Promise<{ url: string }> {
  if (ctx.cards === undefined) throw notSet('Card payments');
  const plan = await getPlanForSale(ctx, planId);
  const subscriber = await ownSubscriber(ctx, plan, subscriberId);
  const row = await selectSubscriptionOf(ctx.db.system, 'stripe', subscriber, plan.id);
  if (row === undefined || !row.is_active) throw notFound('subscription');
  const least = addMonths(row.began_at, plan.minBuyMonths);
  const on = row.paid_until > least ? row.paid_until : least;
  try {
    return await ctx.cards.cancel(row.id, on, ctx.settings.baseUrl);
  } catch (error) {
    throw unavailable(error);
  }
}

/** The same day some months later, or the last day of a month that is too short. */
export function addMonths(date: Date, months: number): Date {
  const moved = new Date(date);
  moved.setUTCMonth(date.getUTCMonth() + months);
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0);
  return moved;
}
