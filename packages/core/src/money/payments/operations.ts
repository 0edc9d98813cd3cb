import { type Access, app, inHeader, OpenObject, op, Redirect, rawBody, resource, T, user } from '@latchkey/kernel';
import { generateUnlockCheckoutUrl } from './buy-key.ts';
import { generateStripeCheckoutUrl } from './buy-plan.ts';
import { generateDonationLink } from './donate.ts';
import { CheckoutUrl, DonationRequest, SubscriptionRequest } from './payment-record.ts';
import { stripeCallback } from './stripe-callback.ts';
import { stripeWebhook } from './take-webhook.ts';
import { unlockCallback } from './unlock-callback.ts';
import { unsubscribe } from './unsubscribe.ts';

/** Everyone may come back from a payment; only the slug of one's own checkout leads anywhere. */
const bySlug: Access = { roles: [], scopes: [] };

const planId = T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 });
const slug = T.Optional(T.String({ description: 'Names the checkout.', minLength: 1, maxLength: 64 }));

export const payments = resource('payments', 'Buying plans by card or with a key of a lock, and donations.', [
  op(
    'GET /stripe/callback',
    {
      id: 'stripeCallback',
      sdk: 'StripeController.stripeCallback',
      summary: 'Handle the return from a card payment',
      description:
        'Where Stripe sends buyers back to. Redirects to the redirectUri of the checkout with `slug` (the state is at GET /states/{slug}) and `status`: success once Stripe says that it is paid, pending while it is not, otherwise cancelled. The plan itself follows from what Stripe says, not from this visit.',
      access: bySlug,
      params: {
        sessionId: T.Optional(
          T.String({ description: 'The provider’s id of the checkout.', minLength: 1, maxLength: 255 }),
        ),
        slug,
      },
      returns: Redirect,
      errors: ['ENTITY_NOT_FOUND'],
    },
    stripeCallback,
  ),
  op(
    'POST /stripe/donation',
    {
      id: 'generateDonationLink',
      sdk: 'StripeController.generateDonationLink',
      summary: 'Create a donation checkout',
      description:
        'Returns the address of a page on which somebody can give money by card, once or every month. The link expires after 24 hours.',
      facts: {
        needsNoKey: 'Asks the payment provider; a checkout too many is forgotten after a day.',
        senderDecides: 'price recurring confirmationMessage redirectUri',
      },
      access: app(),
      body: DonationRequest,
      returns: CheckoutUrl,
    },
    generateDonationLink,
  ),
  op(
    'DELETE /stripe/subscription/{planId}/subscriber/{subscriberId}',
    {
      id: 'unsubscribe',
      sdk: 'StripeController.unsubscribe',
      summary: 'End a subscription',
      description:
        'Ends a plan that is paid by card at the end of the period that is paid for, but not before the least number of months (`minBuy`) that the plan is sold for. Until then the plan goes on. Returns the address of your billing portal if you are the one who pays.',
      facts: { idsOfNobody: { planId: 'The plans are the same for everyone.' } },
      access: user(),
      params: {
        planId,
        subscriberId: T.String({
          description: 'The organization, or for a plan of communities the community.',
          minLength: 1,
          maxLength: 128,
        }),
      },
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unsubscribe,
  ),
  op(
    'POST /stripe/subscription/{planId}',
    {
      id: 'generateStripeCheckoutUrl',
      sdk: 'StripeController.generateStripeCheckoutUrl',
      summary: 'Buy a plan by card',
      description:
        'Returns the address of a checkout page for the plan, at the price and billing period that the plan shows, for one of your organizations or for a community that you administer. The link expires after 24 hours. The plan begins when Stripe says that it is paid, and ends with the payments. A subscriber never pays twice: if a subscription is running, the address is the page on which you confirm the change, prorated by Stripe, or your billing portal if there is nothing to change. POST /latchkey/plans/{planId}/checkout takes another billing period or currency.',
      facts: {
        needsNoKey: 'Asks the payment provider; a checkout too many is forgotten after a day.',
        senderDecides: 'state organizationId redirectUri',
        idsOfNobody: { planId: 'The plans are the same for everyone.' },
      },
      access: user(),
      params: { planId },
      body: SubscriptionRequest,
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    generateStripeCheckoutUrl,
  ),
  op(
    'POST /stripe/webhook',
    {
      id: 'stripeWebhook',
      sdk: 'StripeController.stripeWebhook',
      summary: 'Receive a Stripe webhook',
      description:
        'For the card provider alone, which signs the exact bytes of the body. A message counts once, and only while it is not older or newer than five minutes.',
      facts: { needsNoKey: 'A message counts once by its own id.', freeBody: 'What the payment provider has signed.' },
      access: bySlug,
      params: {
        'Stripe-Signature': inHeader(
          T.String({ description: 'The time and the signature, as t=…,v1=….', minLength: 1, maxLength: 1024 }),
        ),
      },
      body: rawBody,
      returns: OpenObject,
    },
    stripeWebhook,
  ),
  op(
    'GET /unlock/callback',
    {
      id: 'unlockCallback',
      sdk: 'UnlockProtocolController.unlockCallback',
      summary: 'Handle the return from an Unlock checkout',
      description:
        'Where the page of a lock sends buyers back to, with their wallet and its signature. They go on to the redirectUri of the checkout with `slug` and `status`: success, pending until the purchase is on the chain, cancelled, error, used, signature-invalid or key-in-use.',
      changes: true,
      access: bySlug,
      params: {
        signature: T.Optional(T.String({ description: 'The signature of the wallet.', minLength: 1, maxLength: 8192 })),
        address: T.Optional(T.String({ description: 'The wallet that bought the key.', minLength: 1, maxLength: 128 })),
        error: T.Optional(T.String({ description: 'Why nothing was bought.', maxLength: 1024 })),
        slug,
      },
      returns: Redirect,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unlockCallback,
  ),
  op(
    'POST /unlock/subscription/{planId}',
    {
      id: 'generateUnlockCheckoutUrl',
      sdk: 'UnlockProtocolController.generateCheckoutUrl',
      summary: 'Buy a plan with an Unlock key',
      description:
        'Returns the address of a page on which a key of any of the plan’s locks can be bought with a wallet, for one of your organizations or a community that you administer. The link expires after 24 hours. The plan lasts as long as the key is valid on its chain.',
      facts: {
        needsNoKey: 'A checkout too many is forgotten after a day.',
        senderDecides: 'state organizationId redirectUri',
        idsOfNobody: { planId: 'The plans are the same for everyone.' },
      },
      access: user(),
      params: { planId },
      body: SubscriptionRequest,
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND'],
    },
    generateUnlockCheckoutUrl,
  ),
]);
