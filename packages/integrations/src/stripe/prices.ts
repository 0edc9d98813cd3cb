import { type BillingPeriod, PaymentsRefused, type PlanPrice } from '@latchkey/core/ports';
import Stripe from 'stripe';
import { unlessMissing } from './asking.ts';
import { planKey } from './values.ts';

const intervals = { monthly: 'month', yearly: 'year' } as const;

interface SoldPlan {
  id: string;
  name: string;
  price: PlanPrice;
}

/** The id of a plan's price at Stripe. It is found by a name that says all of it, and made when it is not there. */
export async function findOrCreatePrice(stripe: Stripe, plan: SoldPlan): Promise<string> {
  const { billingPeriod, amount, currency, priceId } = plan.price;
  if (priceId !== undefined) return checkPrice(stripe, plan, priceId);
  const name = `latchkey_${plan.id}_${billingPeriod}_${currency}_${amount}`;
  const { data } = await stripe.prices.list({ lookup_keys: [name], active: true, limit: 1 });
  if (data[0] !== undefined) return data[0].id;
  const product = await findOrCreateProduct(stripe, plan);
  const made = await stripe.prices.create(
    {
      product,
      currency,
      unit_amount: amount,
      recurring: { interval: intervals[billingPeriod] },
      lookup_key: name,
      transfer_lookup_key: true,
      metadata: { [planKey]: plan.id },
    },
    { idempotencyKey: `price:${product}:${name}` },
  );
  return made.id;
}

/** How often a price is due; undefined for a rhythm in which plans are not sold. */
export function periodOf(price: Stripe.Price): BillingPeriod | undefined {
  const { interval, interval_count: count } = price.recurring ?? {};
  if (interval === 'month') return count === 1 ? 'monthly' : count === 12 ? 'yearly' : undefined;
  return interval === 'year' && count === 1 ? 'yearly' : undefined;
}

/** A price that the operator made must be what the plan says: nobody pays yearly prices every month. */
async function checkPrice(stripe: Stripe, { name, price: wanted }: SoldPlan, priceId: string): Promise<string> {
  const price = await stripe.prices.retrieve(priceId);
  const isSame =
    periodOf(price) === wanted.billingPeriod &&
    price.currency === wanted.currency &&
    (wanted.amount === 0 || price.unit_amount === wanted.amount);
  if (!isSame)
    throw new PaymentsRefused(
      `The price ${priceId} at Stripe is not the price of the plan ${name} (${wanted.amount} ${wanted.currency}, ${wanted.billingPeriod}).`,
    );
  return priceId;
}

async function findOrCreateProduct(stripe: Stripe, { id, name }: SoldPlan): Promise<string> {
  const productId = `latchkey_${id}`;
  const found = await unlessMissing(stripe.products.retrieve(productId));
  if (found === undefined) {
    await stripe.products.create({ id: productId, name, metadata: { [planKey]: id } }).catch(unlessThere);
  } else if (found.name !== name || !found.active) {
    await stripe.products.update(productId, { name, active: true });
  }
  return productId;
}

/** Somebody else made it in the meantime. */
function unlessThere(error: unknown): void {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.code !== 'resource_already_exists')
    throw error;
}
