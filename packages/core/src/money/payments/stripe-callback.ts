import { enqueue, hashSecret } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type CheckoutRow, selectCheckoutBySlug } from './queries.ts';
import { syncPayment } from './sync.ts';

/** Sends somebody who comes back from paying on to where they began. What they paid is asked of the provider itself. */
export async function stripeCallback(
  ctx: Context,
  { sessionId, slug }: { sessionId?: string; slug?: string },
): Promise<{ location: string }> {
  const checkout = await findCheckout(ctx, 'stripe', slug);
  if (sessionId !== undefined)
    await enqueue(ctx.db.system, syncPayment, { kind: 'checkout', id: sessionId }, { key: sessionId });
  return onwards(checkout, slug ?? '', sessionId === undefined ? 'cancelled' : 'success');
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
