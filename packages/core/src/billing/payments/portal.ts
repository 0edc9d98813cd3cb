import { notFound } from '@latchkey/kernel';
import type { CardPayments } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { findCustomer } from './customer.ts';
import type { CheckoutUrl } from './payment-record.ts';
import { askingProvider, notSet } from './provider-errors.ts';

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
