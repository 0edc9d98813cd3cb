import { admin, listOf, NoContent, op, T, user } from '@latchkey/kernel';
import { createPlanCheckout } from './buy-plan.ts';
import { giveSubscriptionPlan, takeSubscriptionPlan } from './give-plan.ts';
import { listMySubscriptions } from './my-subscriptions.ts';
import { CheckoutUrl, PaidPlan, PlanCheckoutRequest } from './payment-record.ts';
import { createBillingPortal } from './portal.ts';

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
        'Returns the address of a checkout page for a plan, in the billing period and currency that you choose. The link expires after 24 hours. If the subscriber already pays by card, nothing is sold twice: the address is the page on which you confirm the change, with what is due for the running period. Buying a plan again that is due to end keeps it.',
      facts: {
        needsNoKey: 'Asks the payment provider; an older checkout is closed by a newer one.',
        senderDecides: 'state subscriberId redirectUri billingPeriod currency',
        idsOfNobody: { planId: 'The plans are the same for everyone.' },
      },
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
        'Returns the plans that you pay or paid for, by card or with a key of a lock, newest first: for whom, until when, and whether a payment failed.',
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
      facts: { needsNoKey: 'Opens a page; nothing is kept here.' },
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
        'Takes a subscription plan away that was given without payment. Fails with STATE_CONFLICT if somebody pays for it. For the operator.',
      audit: 'subscription-plan.take',
      access: admin(),
      params: { planId, subscriberId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    takeSubscriptionPlan,
  ),
] as const;
