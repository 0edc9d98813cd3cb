import { PaymentsRefused } from '@latchkey/core/ports';
import type Stripe from 'stripe';
import { idOf } from './values.ts';

const offersKey = 'latchkey_offers';

/** A page on which a customer sees what they pay for, with their cards and invoices. */
export async function openPortal(stripe: Stripe, customer: string, returnUrl: string): Promise<{ url: string }> {
  const configuration = await findOrCreateConfiguration(stripe, undefined);
  const { url } = await stripe.billingPortal.sessions.create({ customer, configuration, return_url: returnUrl });
  return { url };
}

interface Change {
  subscriptionId: string;
  priceId: string;
  doneUrl: string;
  returnUrl: string;
}

/** The page on which a customer confirms another price. It shows what is due now, and changes nothing before. */
export async function openChange(stripe: Stripe, change: Change): Promise<{ url: string }> {
  const { subscriptionId, priceId, doneUrl, returnUrl } = change;
  const subscription = await stripe.subscriptions.retrieve(subscriptionId);
  const [item] = subscription.items.data;
  if (item === undefined) throw new PaymentsRefused('The subscription has nothing that could be changed.');
  const configuration = await findOrCreateConfiguration(stripe, await stripe.prices.retrieve(priceId));
  const { url } = await stripe.billingPortal.sessions.create({
    customer: idOf(subscription.customer),
    configuration,
    return_url: returnUrl,
    flow_data: {
      type: 'subscription_update_confirm',
      after_completion: { type: 'redirect', redirect: { return_url: doneUrl } },
      subscription_update_confirm: {
        subscription: subscriptionId,
        items: [{ id: item.id, price: priceId, quantity: 1 }],
      },
    },
  });
  return { url };
}

/**
 * What the page lets customers do. Subscriptions are ended here and not there, since a plan can have a least number of
 * months; changes are offered one at a time, by the server.
 */
async function findOrCreateConfiguration(stripe: Stripe, offered: Stripe.Price | undefined): Promise<string> {
  const offers = offered?.id ?? 'none';
  const known = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 })
    .autoPagingToArray({ limit: 1000 });
  const found = known.find(({ metadata }) => metadata?.[offersKey] === offers);
  if (found !== undefined) return found.id;
  const made = await stripe.billingPortal.configurations.create(
    {
      features: {
        customer_update: { enabled: true, allowed_updates: ['email', 'name', 'address', 'tax_id'] },
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: false },
        ...(offered && {
          subscription_update: {
            enabled: true,
            default_allowed_updates: ['price'],
            proration_behavior: 'always_invoice',
            products: [{ product: idOf(offered.product), prices: [offered.id] }],
          },
        }),
      },
      metadata: { [offersKey]: offers },
    },
    { idempotencyKey: `portal:${offers}` },
  );
  return made.id;
}
