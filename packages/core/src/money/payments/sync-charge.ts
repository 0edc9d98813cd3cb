import { enqueue } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { CardPayments, Charge } from '../../ports/index.ts';
import { upsertDispute } from './dispute-queries.ts';
import { endSubscription } from './end-subscription.ts';
import { insertPayment, selectSubscription } from './queries.ts';
import { whatWasBought } from './what-was-bought.ts';

/**
 * Writes down what was taken back of a payment. Answers with the subscription that it paid for, if that was bought here: one
 * whose current period was refunded in full, or whose dispute is lost, is ended.
 */
export async function syncCharge(ctx: Context, cards: CardPayments, id: string): Promise<string | undefined> {
  const charge = await cards.charge(id);
  if (charge === undefined) return undefined;
  const { system } = ctx.db;
  for (const refund of charge.refunds) await insertPayment(system, refund);
  for (const dispute of charge.disputes) {
    for (const movement of dispute.movements) await insertPayment(system, movement);
    const { id: disputeId, status, outcome, amount, currency } = dispute;
    await upsertDispute(system, {
      id: disputeId,
      subscription_id: charge.subscriptionId ?? null,
      charge_id: id,
      status,
      outcome,
      amount,
      currency,
      updated_at: ctx.clock(),
    });
  }
  if (charge.subscriptionId === undefined) return undefined;
  await endIfTakenBack(ctx, cards, charge, charge.subscriptionId);
  return charge.subscriptionId;
}

async function endIfTakenBack(
  ctx: Context,
  cards: CardPayments,
  charge: Charge,
  subscriptionId: string,
): Promise<void> {
  const isLost = charge.disputes.some(({ outcome }) => outcome === 'lost');
  if (!isLost && !charge.isRefunded) return;
  const found = await cards.subscription(subscriptionId);
  // What somebody else sold under the same account is theirs to end.
  const ours = (await selectSubscription(ctx.db.system, subscriptionId)) ?? (await whatWasBought(ctx, found));
  if (found === undefined || ours === undefined) return;
  const isCurrent = found.latestInvoiceId === charge.invoiceId;
  if (isLost || isCurrent)
    await enqueue(ctx.db.system, endSubscription, { id: subscriptionId }, { key: subscriptionId });
}
