import type { Context } from '../../context.ts';
import type { PaidSubscription } from '../../ports/index.ts';
import { selectCheckout } from './checkout-queries.ts';
import { type SubscriptionRow, unsaid } from './queries.ts';

/** What a new subscription was bought for; undefined when it was not bought here. */
export async function whatWasBought(
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
    look_at: null,
    ...unsaid,
  };
}
