import { AppError, admin, listOf, NoContent, op, principalId, T, user } from '@latchkey/kernel';
import { givePlan, starterPlanId, takePlan } from '../../communities/community-plans/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { ownOrganization, setPlan } from '../../identity/organizations/index.ts';
import { freePlanId, getPlanForSale, sellingSettings } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { createPlanCheckout } from './buy-plan.ts';
import { createBillingPortal } from './customer.ts';
import { CheckoutUrl, PaidPlan, PlanCheckoutRequest } from './payment-record.ts';
import { type SubscriptionRow, selectActiveOf, selectSubscriptionsOf } from './queries.ts';
import { graceEnd } from './subscription-state.ts';

const planId = T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 });
const subscriberId = T.String({
  description: 'The organization, or for a community plan the community.',
  minLength: 1,
  maxLength: 128,
});

export const billingOperations = [
  op(
    'POST /latchkey/plans/{planId}/checkout',
    {
      id: 'createPlanCheckout',
      summary: 'Buy a plan by card',
      description:
        'Returns the address of a checkout page for a plan, in the billing period and currency that you choose. The link expires after 24 hours. A subscriber who already pays by card is not charged twice: the address is the page where you confirm the change, with the amount due for the current period. Buying a plan again that is due to end keeps it.',
      access: user(),
      params: { planId },
      body: PlanCheckoutRequest,
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'NOT_CONFIGURED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    createPlanCheckout,
  ),
  op(
    'GET /latchkey/account/subscriptions',
    {
      id: 'listMySubscriptions',
      summary: 'List your subscriptions',
      description:
        'Returns the plans that you pay or paid for, by card or with an Unlock key, newest first: the subscriber, the end date, and whether a payment failed.',
      access: user(),
      returns: listOf(PaidPlan, 'The plans that you pay or paid for, newest first.'),
    },
    listMySubscriptions,
  ),
  op(
    'POST /latchkey/account/billing-portal',
    {
      id: 'createBillingPortal',
      summary: 'Open the billing portal',
      description:
        'Returns the address of a Stripe page that shows everything you pay for by card, with your cards and invoices. Fails with ENTITY_NOT_FOUND if you never paid by card.',
      access: user(),
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED', 'UNAVAILABLE'],
    },
    createBillingPortal,
  ),
  op(
    'PUT /latchkey/plans/{planId}/subscribers/{subscriberId}',
    {
      id: 'giveSubscriptionPlan',
      summary: 'Grant a subscription plan',
      description:
        'Puts an organization or a community on a subscription plan without payment. For the operator. An organization is on one plan at a time, a community can be on several.',
      audit: 'subscription-plan.give',
      access: admin(),
      params: { planId, subscriberId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    giveSubscriptionPlan,
  ),
  op(
    'DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}',
    {
      id: 'takeSubscriptionPlan',
      summary: 'Revoke a subscription plan',
      description:
        'Revokes a subscription plan that was granted without payment. Fails with STATE_CONFLICT if the plan is paid for. For the operator.',
      audit: 'subscription-plan.take',
      access: admin(),
      params: { planId, subscriberId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    takeSubscriptionPlan,
  ),
] as const;

/** Lists everything that the caller pays or paid for, newest first. */
async function listMySubscriptions(ctx: Context): Promise<PaidPlan[]> {
  const rows = await ctx.tx((tx) => selectSubscriptionsOf(tx, principalId(ctx.actor)));
  return rows.map((row) => toPaidPlan(row, sellingSettings(ctx).graceDays));
}

function toPaidPlan(row: SubscriptionRow, graceDays: number): PaidPlan {
  return {
    id: row.id,
    provider: row.provider,
    planId: row.plan_id,
    subscriberId: row.subscriber_id,
    isActive: row.is_active,
    status: row.status ?? (row.is_active ? 'active' : 'ended'),
    beganAt: row.began_at.toISOString(),
    paidUntil: row.paid_until.toISOString(),
    endsAt: row.cancel_on?.toISOString(),
    graceUntil: row.past_due_since === null ? undefined : graceEnd(row.past_due_since, graceDays).toISOString(),
    billingPeriod: row.billing_period ?? undefined,
    amount: row.amount ?? undefined,
    currency: row.currency ?? undefined,
  };
}

interface Given {
  planId: string;
  subscriberId: string;
}

/** Puts an organization or a community on a plan without payment, for the operator. */
export async function giveSubscriptionPlan(ctx: Context, { planId, subscriberId }: Given): Promise<void> {
  const plan = await getPlanForSale(ctx, planId);
  if (plan.audience === 'community') return givePlan(ctx, subscriberId, plan.id);
  await setPlan(ctx, subscriberId, plan.id);
}

/** Removes a plan that the operator granted, if there is one. A paid plan ends with its payments. */
export async function takeSubscriptionPlan(ctx: Context, { planId, subscriberId }: Given): Promise<void> {
  const plan = await getPlanForSale(ctx, planId);
  const isForCommunity = plan.audience === 'community';
  const id = isForCommunity ? await communityId(ctx, subscriberId) : (await organization(ctx, subscriberId)).id;
  const active = await ctx.tx((tx) => selectActiveOf(tx, id));
  if (active.some(({ plan_id }) => plan_id === plan.id))
    throw new AppError('STATE_CONFLICT', 'This plan is paid for. End the subscription instead.');
  if (plan.id === starterPlanId || plan.id === freePlanId)
    throw new AppError('STATE_CONFLICT', 'This plan is free for everyone and cannot be revoked.');
  if (isForCommunity) return takePlan(ctx, id, plan.id);
  if ((await organization(ctx, id)).plan_id === plan.id) await setPlan(ctx, id, active[0]?.plan_id ?? freePlanId);
}

async function communityId(ctx: Context, id: string): Promise<string> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) throw new AppError('ENTITY_NOT_FOUND', 'Community not found.');
  return community.id;
}

function organization(ctx: Context, id: string) {
  return ctx.tx((tx) => ownOrganization(ctx, tx, id));
}
