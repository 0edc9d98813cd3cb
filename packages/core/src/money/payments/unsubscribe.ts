import { enqueue } from '@latchkey/db';
import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getPlanForSale } from '../plans/index.ts';
import type { CheckoutUrl } from './payment-record.ts';
import { openPortal } from './portal.ts';
import { askingProvider, notSet } from './provider-errors.ts';
import { selectRunning } from './queries.ts';
import { ownSubscriber } from './subscriber.ts';
import { syncPayment } from './sync.ts';

/** Ends a subscription with what is paid for, but not before the least number of months that the plan is sold for. */
export async function unsubscribe(
  ctx: Context,
  { planId, subscriberId }: { planId: string; subscriberId: string },
): Promise<CheckoutUrl> {
  const { cards } = ctx;
  if (cards === undefined) throw notSet('Card payments');
  const plan = await getPlanForSale(ctx, planId);
  const subscriber = await ownSubscriber(ctx, plan, subscriberId);
  const running = (await selectRunning(ctx.db.system, subscriber)).filter(({ plan_id }) => plan_id === plan.id);
  const [own] = running.filter(({ created_by_id }) => created_by_id === principalId(ctx.actor));
  if (running.length === 0) throw notFound('subscription');
  return askingProvider(async () => {
    for (const { id, began_at } of running) {
      await cards.cancel(id, addMonths(began_at, plan.minBuyMonths));
      await enqueue(ctx.db.system, syncPayment, { kind: 'subscription', id }, { key: id });
    }
    // The page shows cards and invoices, so only who pays gets there.
    return own === undefined ? {} : openPortal(ctx, cards, own.id);
  });
}

/** The same day some months later, or the last day of a month that is too short. */
function addMonths(date: Date, months: number): Date {
  const moved = new Date(date);
  moved.setUTCMonth(date.getUTCMonth() + months);
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0);
  return moved;
}
