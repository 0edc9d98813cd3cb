import { enqueue } from '@latchkey/db';
import { job, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { CardPayments, PaidSubscription } from '../../ports/index.ts';
import { insertPayment, selectCheckout, selectSubscription, upsertSubscription } from './queries.ts';
import { settleRights } from './subscriber.ts';

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
    if (subject.kind === 'subscription') return syncSubscription(ctx, cards, subject.id);
    if (subject.kind === 'charge') {
      for (const refund of await cards.refunds(subject.id)) await insertPayment(ctx.db.system, refund);
      return;
    }
    const found = await (subject.kind === 'checkout' ? cards.checkout(subject.id) : cards.invoice(subject.id));
    if (found?.payment !== undefined) await insertPayment(ctx.db.system, found.payment);
    // Jobs of one subscription run one after the other, so that an older look at it never comes last.
    if (found?.subscriptionId !== undefined)
      await enqueue(
        ctx.db.system,
        syncPayment,
        { kind: 'subscription', id: found.subscriptionId },
        { key: found.subscriptionId },
      );
  },
);

async function syncSubscription(ctx: Context, cards: CardPayments, subscriptionId: string): Promise<void> {
  const found = await cards.subscription(subscriptionId);
  const known = await selectSubscription(ctx.db.system, subscriptionId);
  const bought = known ?? (await whatWasBought(ctx, found));
  // A donation that recurs gives no rights, and neither does what was sold by somebody else under the same account.
  if (bought === undefined) return;
  await ctx.db.transaction('system', async (tx) => {
    const row = await upsertSubscription(tx, { ...bought, ...stateOf(found, bought) });
    await settleRights(ctx, tx, row);
  });
}

async function whatWasBought(ctx: Context, found: PaidSubscription | undefined) {
  const checkout = found?.checkoutId === undefined ? undefined : await selectCheckout(ctx.db.system, found.checkoutId);
  if (found === undefined || checkout === undefined) return undefined;
  const { plan_id, subscriber_id, created_by_id } = checkout;
  if (plan_id === null || subscriber_id === null) return undefined;
  const { id, beganAt: began_at, paidUntil: paid_until } = found;
  return {
    id,
    created_by_id,
    provider: 'stripe' as const,
    plan_id,
    subscriber_id,
    began_at,
    paid_until,
    look_at: null,
  };
}

/** A subscription that the provider does not know any more has ended. */
function stateOf(found: PaidSubscription | undefined, bought: { began_at: Date; paid_until: Date }) {
  return {
    is_active: found?.isActive ?? false,
    began_at: found?.beganAt ?? bought.began_at,
    paid_until: found?.paidUntil ?? bought.paid_until,
    cancel_on: found?.cancelOn ?? null,
    look_at: null,
  };
}
