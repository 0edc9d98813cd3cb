import type { Context } from '../../shared/context.ts';
import { keepCheckout } from './begin-checkout.ts';
import { setSession } from './checkout-queries.ts';
import type { DonationRequest } from './payment-record.ts';
import { askingProvider, notSet } from './provider-errors.ts';

/** Creates the checkout of a one-time or monthly donation. */
export async function generateDonationLink(
  ctx: Context,
  { body }: { body: DonationRequest },
): Promise<{ url: string }> {
  const { cards } = ctx;
  if (cards === undefined) throw notSet('Card payments');
  const { row, backUrl } = await keepCheckout(ctx, 'stripe', { redirectUri: body.redirectUri }, {});
  const { sessionId, url } = await askingProvider(() =>
    cards.begin({
      id: row.id,
      item: {
        title: `Donation to ${ctx.settings.serviceName}`,
        amount: body.price,
        currency: 'usd',
        isMonthly: body.recurring ?? false,
      },
      ...(body.confirmationMessage !== undefined && { confirmationMessage: body.confirmationMessage }),
      ...returnUrls(backUrl),
      expiresAt: row.expires_at,
    }),
  );
  await setSession(ctx.db.system, row.id, sessionId);
  return { url };
}

/** Returns the return URLs of a checkout. The provider replaces the placeholder with its own id of the checkout. */
export function returnUrls(backUrl: string): { successUrl: string; cancelUrl: string } {
  return { successUrl: `${backUrl}&sessionId={CHECKOUT_SESSION_ID}`, cancelUrl: backUrl };
}
