import { enqueue, type Tx } from '@latchkey/db';
import { job, shape, T } from '@latchkey/kernel';
import type { CardPayments, Charge, PaidSubscription } from '../../ports/index.ts';
import { findPlanOfPrice, getPlanForSale, sellingSettings } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { noteForPayer } from './notices.ts';
import {
  disputesOf,
  insertCustomer,
  insertPayment,
  noTerms,
  type SubscriptionRow,
  selectCheckout,
  selectSubscription,
  upsertDispute,
  upsertSubscription,
  useCheckout,
} from './queries.ts';
import { runningOf, updateRights } from './subscriber.ts';
import { endSubscription, subscriptionStateOf } from './subscription-state.ts';

const kinds = T.Union([T.Literal('subscription'), T.Literal('checkout'), T.Literal('invoice'), T.Literal('charge')]);
const id = T.String({ minLength: 1, maxLength: 255 });

/**
 * Reads the provider's current state and applies it here. The content of an event is ignored, so
 * events may come late, twice, or in any order.
 */
export const syncPayment = job(
  'payments.sync',
  { payload: shape(T.Object({ kind: kinds, id })), timeoutSeconds: 120 },
  async (ctx: Context, subject) => {
    const { cards } = ctx;
    if (cards === undefined) throw new Error('Card payments are not set up; a webhook message is pending.');
    const { kind, id } = subject;
    if (kind === 'subscription') return syncSubscription(ctx, cards, id);
    const subscriptionId =
      kind === 'charge' ? await syncCharge(ctx, cards, id) : await keepPayment(ctx, cards, { kind, id });
    // Jobs of one subscription run one after the other, so that an older read never overwrites a newer one.
    if (subscriptionId !== undefined)
      await enqueue(ctx.db.system, syncPayment, { kind: 'subscription', id: subscriptionId }, { key: subscriptionId });
  },
);

/** Records a payment, and returns its subscription. */
async function keepPayment(
  ctx: Context,
  cards: CardPayments,
  subject: { kind: 'checkout' | 'invoice'; id: string },
): Promise<string | undefined> {
  const found = await (subject.kind === 'checkout' ? cards.checkout(subject.id) : cards.invoice(subject.id));
  if (found?.payment !== undefined) await insertPayment(ctx.db.system, found.payment);
  return found?.subscriptionId;
}

async function syncSubscription(ctx: Context, cards: CardPayments, subscriptionId: string): Promise<void> {
  const found = await cards.subscription(subscriptionId);
  const { system } = ctx.db;
  const bought = (await selectSubscription(system, subscriptionId)) ?? (await whatWasBought(ctx, found));
  // A recurring donation grants nothing, and neither does a subscription that another product sold under the same account.
  if (bought === undefined) return;
  const planId = await planOf(ctx, found, bought.plan_id);
  if (found !== undefined && found.paymentState !== 'ended')
    await insertCustomer(system, {
      created_by_id: bought.created_by_id,
      id: found.customerId,
      created_at: ctx.clock(),
    });
  await ctx.db.transaction('system', async (tx) => {
    const disputes = await disputesOf(tx, subscriptionId);
    const state = subscriptionStateOf(found, {
      bought,
      isDisputed: disputes.some(({ outcome }) => outcome !== 'won'),
      graceDays: sellingSettings(ctx).graceDays,
      now: ctx.clock(),
    });
    const row = await upsertSubscription(tx, { ...bought, ...state, plan_id: planId });
    if (found?.checkoutId !== undefined) await useCheckout(tx, found.checkoutId, ctx.clock());
    await updateRights(ctx, tx, row.subscriber_id, new Set([bought.plan_id, planId]));
    await endSecond(ctx, tx, row);
    await noteForPayer(ctx, tx, row, disputes);
  });
}

/** Returns the plan of the subscription's current price, which can have been changed at the provider. */
async function planOf(ctx: Context, found: PaidSubscription | undefined, bought: string): Promise<string> {
  const plan = found && (await findPlanOfPrice(ctx.db.system, found.price));
  if (plan === undefined || plan.id === bought) return bought;
  const { audience } = await getPlanForSale(ctx, bought);
  return plan.audience === audience ? plan.id : bought;
}

/**
 * A subscriber pays once for a plan. A second subscription is ended, and its payment is credited to the next invoice.
 */
async function endSecond(ctx: Context, tx: Tx, { subscriber_id, plan_id }: SubscriptionRow): Promise<void> {
  const [, ...more] = await runningOf(tx, await getPlanForSale(ctx, plan_id), subscriber_id);
  for (const { id, subscriber_id: subscriber } of more) {
    ctx.log.for('payments').warn('A plan was bought twice; ending the second subscription.', { subscriber, id });
    await enqueue(tx, endSubscription, { id, isCredited: true }, { key: id });
  }
}

/**
 * Records the refund of a payment. Returns the subscription that it paid for, if that was bought here: one
 * whose current period was refunded in full, or whose dispute is lost, is ended.
 */
async function syncCharge(ctx: Context, cards: CardPayments, id: string): Promise<string | undefined> {
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
  // A subscription that another product sold under the same account is not ours to end.
  const ours = (await selectSubscription(ctx.db.system, subscriptionId)) ?? (await whatWasBought(ctx, found));
  if (found === undefined || ours === undefined) return;
  const isCurrent = found.latestInvoiceId === charge.invoiceId;
  if (isLost || isCurrent)
    await enqueue(ctx.db.system, endSubscription, { id: subscriptionId }, { key: subscriptionId });
}

/** Returns what a new subscription was bought for; undefined if it was not bought here. */
async function whatWasBought(
  ctx: Pick<Context, 'db'>,
  found: PaidSubscription | undefined,
): Promise<SubscriptionRow | undefined> {
  const checkout = found?.checkoutId === undefined ? undefined : await selectCheckout(ctx.db.system, found.checkoutId);
  if (found === undefined || checkout === undefined) return undefined;
  const { plan_id, subscriber_id, created_by_id } = checkout;
  if (plan_id === null || subscriber_id === null) return undefined;
  return {
    id: found.id,
    created_by_id,
    provider: 'stripe',
    plan_id,
    subscriber_id,
    is_active: false,
    began_at: found.beganAt,
    paid_until: found.paidUntil,
    cancel_on: null,
    check_at: null,
    ...noTerms,
  };
}
