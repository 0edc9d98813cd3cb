import { enqueue, hashSecret } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import { type CardPayments, type PaymentSubject, PaymentsFailed, PaymentsRefused } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type CheckoutRow, selectCheckoutBySlug } from './checkout-queries.ts';
import { syncPayment } from './sync.ts';

type Outcome = 'success' | 'pending' | 'cancelled';

/** Sends somebody who comes back from paying on to where they began, with what the provider says of the payment. */
export async function stripeCallback(
  ctx: Context,
  { sessionId, slug }: { sessionId?: string; slug?: string },
): Promise<{ location: string }> {
  const checkout = await findCheckout(ctx, 'stripe', slug);
  const status = sessionId === undefined ? 'cancelled' : await outcomeOf(ctx, checkout, sessionId);
  return onwards(checkout, slug ?? '', status);
}

/** What is in the address can be made up: only the provider knows whether this very checkout is paid. */
async function outcomeOf(ctx: Context, checkout: CheckoutRow, sessionId: string): Promise<Outcome> {
  const { cards } = ctx;
  if (cards === undefined) return 'pending';
  const isChange = checkout.subscription_id !== null;
  const id = checkout.subscription_id ?? checkout.session_id ?? sessionId;
  try {
    const outcome = await (isChange ? askAboutChange(cards, checkout, id) : askAboutCheckout(cards, checkout, id));
    if (outcome !== 'cancelled') await follow(ctx, { kind: isChange ? 'subscription' : 'checkout', id });
    return outcome;
  } catch (error) {
    if (!(error instanceof PaymentsFailed) && !(error instanceof PaymentsRefused)) throw error;
    ctx.log.for('payments').warn('Failed to read a checkout from the payment provider.', { reason: error.message });
    return 'pending';
  }
}

async function askAboutCheckout(cards: CardPayments, checkout: CheckoutRow, sessionId: string): Promise<Outcome> {
  const found = await cards.checkout(sessionId);
  if (found?.checkoutId !== checkout.id) return 'cancelled';
  if (found.state === 'paid') return 'success';
  return found.state === 'pending' ? 'pending' : 'cancelled';
}

async function askAboutChange(cards: CardPayments, checkout: CheckoutRow, id: string): Promise<Outcome> {
  return (await cards.subscription(id))?.price.id === checkout.price_id ? 'success' : 'cancelled';
}

async function follow(ctx: Context, subject: PaymentSubject): Promise<void> {
  await enqueue(ctx.db.system, syncPayment, subject, { key: subject.id });
}

export async function findCheckout(ctx: Context, provider: string, slug: string | undefined): Promise<CheckoutRow> {
  const found =
    slug === undefined ? undefined : await selectCheckoutBySlug(ctx.db.system, hashSecret(slug), ctx.clock());
  if (found?.provider !== provider) throw notFound('checkout');
  return found;
}

export function onwards({ redirect_uri }: CheckoutRow, slug: string, status: string): { location: string } {
  const url = new URL(redirect_uri);
  url.searchParams.set('slug', slug);
  url.searchParams.set('status', status);
  return { location: url.href };
}
