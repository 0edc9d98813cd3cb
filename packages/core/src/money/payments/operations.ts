import { type Access, app, inHeader, OpenObject, op, Redirect, rawBody, resource, T, user } from '@latchkey/kernel';
import { generateDonationLink, generateStripeCheckoutUrl, generateUnlockCheckoutUrl } from './begin-checkout.ts';
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
      summary: 'Come back from a payment by card',
      description:
        'Where the card provider sends buyers back to. They go on to the redirectUri of the checkout with `slug` (the state is at GET /states/{slug}) and `status`: success or cancelled. The plan itself follows from what the provider says, not from this visit.',
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
      summary: 'Ask for a donation',
      description:
        'Answers with an address at which somebody can give money by card, once or every month. It works for a day.',
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
        'Ends a plan that is paid by card at the end of what is paid for, but not before the least number of months (`minBuy`) that the plan is sold for. Answers with a page of the provider that shows it. Until then the plan goes on.',
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
        'Answers with an address at which the plan can be bought by card for an organization of the caller, or for a community that the caller looks after. It works for a day. Limits, features and scopes of the plan begin when the provider says that it is paid, and end with the payments.',
      facts: {
        needsNoKey: 'Asks the payment provider; a checkout too many is forgotten after a day.',
        senderDecides: 'state organizationId redirectUri',
        idsOfNobody: { planId: 'The plans are the same for everyone.' },
      },
      access: user(),
      params: { planId },
      body: SubscriptionRequest,
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND'],
    },
    generateStripeCheckoutUrl,
  ),
  op(
    'POST /stripe/webhook',
    {
      id: 'stripeWebhook',
      sdk: 'StripeController.stripeWebhook',
      summary: 'Take a message of the card provider',
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
      summary: 'Come back from buying a key',
      description:
        'Where the page of a lock sends buyers back to, with their wallet and its signature. They go on to the redirectUri of the checkout with `slug` and `status`: success, pending until the purchase is on the chain, cancelled, error, used, signature-invalid or key-in-use.',
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
      summary: 'Buy a plan as a key of a lock',
      description:
        'Answers with an address at which a key of the plan’s lock can be bought with a wallet, for an organization of the caller or a community that the caller looks after. It works for a day. The plan lasts as long as the key is good on its chain.',
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
