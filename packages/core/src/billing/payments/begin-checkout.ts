import { hashSecret } from '@latchkey/db';
import { AppError, addSeconds, notSetUp, principalId } from '@latchkey/kernel';
import { keepState, ownRedirectTarget } from '../../identity/states/index.ts';
import { PaymentsFailed, PaymentsNotAllowed, PaymentsRefused } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import type { DonationRequest } from './payment-record.ts';
import { type CheckoutRow, insertCheckout, setSession } from './queries.ts';

/** How long a customer has to pay and return. */
const checkoutTtlSeconds = 24 * 60 * 60;

interface CheckoutRequest {
  state?: Record<string, unknown> | undefined;
  redirectUri?: string | undefined;
}

interface KeptCheckout {
  row: CheckoutRow;
  slug: string;
  /** Where the provider sends a customer who cancels. */
  backUrl: string;
}

/** Records what a customer is about to pay for, and where to send them afterwards. */
export async function keepCheckout(
  ctx: Context,
  provider: CheckoutRow['provider'],
  { state = {}, redirectUri }: CheckoutRequest,
  bought: Partial<CheckoutRow>,
): Promise<KeptCheckout> {
  const target =
    redirectUri === undefined ? ctx.settings.baseUrl : await ownRedirectTarget(ctx, redirectUri, '/redirectUri');
  const { row, slug } = await ctx.tx(async (tx) => {
    const { slug } = await keepState(ctx, tx, state, checkoutTtlSeconds);
    const now = ctx.clock();
    const row: CheckoutRow = {
      id: ctx.random.id(21),
      slug_hash: hashSecret(slug),
      created_by_id: principalId(ctx.actor),
      provider,
      plan_id: null,
      subscriber_id: null,
      redirect_uri: target,
      message: null,
      session_id: null,
      subscription_id: null,
      price_id: null,
      locks: null,
      created_at: now,
      expires_at: addSeconds(now, checkoutTtlSeconds),
      used_at: null,
      ...bought,
    };
    await insertCheckout(tx, row);
    return { row, slug };
  });
  return { row, slug, backUrl: `${ctx.settings.baseUrl}/${provider}/callback?slug=${slug}` };
}

/** The error for a buyer when the provider fails or refuses. */
function toldToBuyer(error: unknown): unknown {
  if (error instanceof PaymentsNotAllowed)
    return notSetUp(
      'The payment provider rejects this server’s credentials. The operator must check LATCHKEY_STRIPE_SECRET_KEY.',
    );
  if (error instanceof PaymentsRefused)
    return new AppError('VALIDATION_FAILED', `The payment provider rejected the request: ${error.message}`, {
      cause: error,
    });
  if (!(error instanceof PaymentsFailed)) return error;
  const words = 'The payment provider cannot be reached right now. Nothing was charged; try again shortly.';
  return new AppError('UNAVAILABLE', words, { retryAfterSeconds: 30, cause: error });
}

export async function askingProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toldToBuyer(error);
  }
}

export function notSet(what: string): AppError {
  return notSetUp(`${what} are not set up on this server.`);
}

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
