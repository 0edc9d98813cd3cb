import { enqueue, type Tx } from '@latchkey/db';
import { job, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { CardPayments, PaidSubscription } from '../../ports/index.ts';
import { findPlanOfPrice, getPlanForSale, sellingSettings } from '../plans/index.ts';
import { useCheckout } from './checkout-queries.ts';
import { insertCustomer } from './customer-queries.ts';
import { disputesOf } from './dispute-queries.ts';
import { endSubscription } from './end-subscription.ts';
import { noteForPayer } from './notices.ts';
import { insertPayment, type SubscriptionRow, selectSubscription, upsertSubscription } from './queries.ts';
import { standingOf } from './standing.ts';
import { runningOf, settleRights } from './subscriber.ts';
import { syncCharge } from './sync-charge.ts';
import { whatWasBought } from './what-was-bought.ts';

const kinds = T.Union([T.Literal('subscription'), T.Literal('checkout'), T.Literal('invoice'), T.Literal('charge')]);
const id = T.String({ minLength: 1, maxLength: 255 });

/**
 * Asks the provider how things stand and makes it so here. What an event said when it was sent is not looked at, so
 * events may come late, twice, or in any order.
 */
export const syncPayment = job(
  'payments.sync',
  { payload: shape(T.Object({ kind: kinds, id })), timeoutSeconds: 120 },
  async (ctx: Context, subject) => {
    const { cards } = ctx;
    if (cards === undefined) throw new Error('Card payments are not set up; the message of the provider waits.');
    const { kind, id } = subject;
    if (kind === 'subscription') return syncSubscription(ctx, cards, id);
    const subscriptionId =
      kind === 'charge' ? await syncCharge(ctx, cards, id) : await keepPayment(ctx, cards, { kind, id });
    // Jobs of one subscription run one after the other, so that an older look at it never comes last.
    if (subscriptionId !== undefined)
      await enqueue(ctx.db.system, syncPayment, { kind: 'subscription', id: subscriptionId }, { key: subscriptionId });
  },
);

/** Writes down what was paid, and says for which subscription. */
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
  // A donation that recurs gives no rights, and neither does what was sold by somebody else under the same account.
  if (bought === undefined) return;
  const planId = await planOf(ctx, found, bought.plan_id);
  if (found !== undefined && found.standing !== 'ended')
    await insertCustomer(system, {
      created_by_id: bought.created_by_id,
      id: found.customerId,
      created_at: ctx.clock(),
    });
  await ctx.db.transaction('system', async (tx) => {
    const disputes = await disputesOf(tx, subscriptionId);
    const standing = standingOf(found, {
      bought,
      isDisputed: disputes.some(({ outcome }) => outcome !== 'won'),
      graceDays: sellingSettings(ctx).graceDays,
      now: ctx.clock(),
    });
    const row = await upsertSubscription(tx, { ...bought, ...standing, plan_id: planId });
    if (found?.checkoutId !== undefined) await useCheckout(tx, found.checkoutId, ctx.clock());
    await settleRights(ctx, tx, row.subscriber_id, new Set([bought.plan_id, planId]));
    await endSecond(ctx, tx, row);
    await noteForPayer(ctx, tx, row, disputes);
  });
}

/** The plan that the price of a subscription is for now: it can have been changed at the provider. */
async function planOf(ctx: Context, found: PaidSubscription | undefined, bought: string): Promise<string> {
  const plan = found && (await findPlanOfPrice(ctx.db.system, found.price));
  if (plan === undefined || plan.id === bought) return bought;
  const { audience } = await getPlanForSale(ctx, bought);
  return plan.audience === audience ? plan.id : bought;
}

/** A subscriber pays once for a plan. What slipped through twice ends, and its money counts towards the next invoice. */
async function endSecond(ctx: Context, tx: Tx, { subscriber_id, plan_id }: SubscriptionRow): Promise<void> {
  const [, ...more] = await runningOf(tx, await getPlanForSale(ctx, plan_id), subscriber_id);
  for (const { id, subscriber_id: subscriber } of more) {
    ctx.log.for('payments').warn('A plan was bought twice; the second subscription is ended.', { subscriber, id });
    await enqueue(tx, endSubscription, { id, isCredited: true }, { key: id });
  }
}
