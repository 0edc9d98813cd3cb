import { hashSecret } from '@latchkey/db';
import { notFound, principalId } from '@latchkey/kernel';
import { type CardPayments, CustomerGone } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { askingProvider, notSet } from './begin-checkout.ts';
import type { CheckoutUrl } from './payment-record.ts';
import { deleteCustomer, insertCustomer, selectCustomer } from './queries.ts';

/**
 * Runs an action with the caller as a customer of the provider. Each user is one customer there, so that one page shows
 * everything they pay for. A customer that the operator deleted at the provider is replaced.
 */
export async function withCustomer<T>(
  ctx: Context,
  cards: CardPayments,
  work: (customerId: string) => Promise<T>,
): Promise<T> {
  const customerId = await findOrCreate(ctx, cards);
  try {
    return await work(customerId);
  } catch (error) {
    if (!(error instanceof CustomerGone)) throw error;
    await deleteCustomer(ctx.db.system, customerId);
    return work(await findOrCreate(ctx, cards, customerId));
  }
}

/** Returns the caller's customer id; undefined if they never paid. */
function findCustomer(ctx: Pick<Context, 'actor' | 'db'>): Promise<string | undefined> {
  return selectCustomer(ctx.db.system, principalId(ctx.actor));
}

async function findOrCreate(ctx: Context, cards: CardPayments, replaced = ''): Promise<string> {
  const payerId = principalId(ctx.actor);
  const known = await selectCustomer(ctx.db.system, payerId);
  if (known !== undefined) return known;
  // Concurrent requests use the same idempotency key, and get the same customer. The provider learns none of our ids.
  const id = await cards.createCustomer(hashSecret(`${ctx.settings.baseUrl} ${payerId} ${replaced}`));
  return insertCustomer(ctx.db.system, { created_by_id: payerId, id, created_at: ctx.clock() });
}

/** Returns the provider's page with everything that the caller pays for. */
export async function createBillingPortal(ctx: Context): Promise<CheckoutUrl> {
  const { cards } = ctx;
  if (cards === undefined) throw notSet('Card payments');
  const customerId = await findCustomer(ctx);
  if (customerId === undefined) throw notFound('customer: you have not paid for anything by card');
  return askingProvider(() => cards.portal(customerId, ctx.settings.baseUrl));
}

/** Returns the same page, for the customer who pays for a subscription. */
export async function openPortal(
  ctx: Pick<Context, 'settings'>,
  cards: CardPayments,
  subscriptionId: string,
): Promise<CheckoutUrl> {
  const found = await cards.subscription(subscriptionId);
  return found === undefined ? {} : cards.portal(found.customerId, ctx.settings.baseUrl);
}
