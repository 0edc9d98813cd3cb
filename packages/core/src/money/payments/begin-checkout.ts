import { hashSecret } from '@latchkey/db';
import { AppError, notSetUp, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { keepState, ownRedirectTarget } from '../../machinery/states/index.ts';
import { PaymentsFailed } from '../../ports/index.ts';
import { getPlanForSale, type PlanForSale } from '../plans/index.ts';
import type { DonationRequest, SubscriptionRequest } from './payment-record.ts';
import { type CheckoutRow, insertCheckout } from './queries.ts';
import { ownSubscriber } from './subscriber.ts';

/** How long somebody has to pay and come back. */
export const checkoutTtlSeconds = 24 * 60 * 60;

const currency = 'usd';

/** The address at which a plan is bought by card. */
export async function generateStripeCheckoutUrl(
  ctx: Context,
  { planId, body }: { planId: string; body: SubscriptionRequest },
): Promise<{ url: string }> {
  const plan = await getPlanForSale(ctx, planId);
  if (plan.stripePriceId === undefined && plan.priceCents === 0)
    throw new AppError('VALIDATION_FAILED', `The plan ${plan.name} is not sold by card.`);
  const subscriberId = await ownSubscriber(ctx, plan, body.organizationId);
  const { row, slug } = await keepCheckout(ctx, 'stripe', body, { plan_id: plan.id, subscriber_id: subscriberId });
  return startAtStripe(ctx, row, slug, {
    title: plan.name,
    price: { amount: plan.priceCents, currency },
    ...(plan.stripePriceId !== undefined && { priceId: plan.stripePriceId }),
    recurring: true,
  });
}

/** The address at which somebody gives money, once or every month. */
export async function generateDonationLink(
  ctx: Context,
  { body }: { body: DonationRequest },
): Promise<{ url: string }> {
  const { row, slug } = await keepCheckout(ctx, 'stripe', { state: {}, redirectUri: body.redirectUri }, {});
  return startAtStripe(ctx, row, slug, {
    title: `Donation to ${ctx.settings.serviceName}`,
    price: { amount: body.price, currency },
    recurring: body.recurring ?? false,
    ...(body.confirmationMessage !== undefined && { confirmationMessage: body.confirmationMessage }),
  });
}

/** The address at which a plan is bought as a key of a lock. */
export async function generateUnlockCheckoutUrl(
  ctx: Context,
  { planId, body }: { planId: string; body: SubscriptionRequest },
): Promise<{ url: string }> {
  const { locks } = ctx;
  if (locks === undefined) throw notSet('Locks');
  const plan = await getPlanForSale(ctx, planId);
  const [lock] = plan.locks;
  if (lock === undefined) throw new AppError('VALIDATION_FAILED', `The plan ${plan.name} is not sold by a lock.`);
  const subscriberId = await ownSubscriber(ctx, plan, body.organizationId);
  const message = messageFor(ctx, plan, subscriberId);
  const { slug } = await keepCheckout(ctx, 'unlock', body, {
    plan_id: plan.id,
    subscriber_id: subscriberId,
    message,
    lock_chain_id: lock.chainId,
    lock_address: lock.address.toLowerCase(),
  });
  const redirectUri = `${ctx.settings.baseUrl}/unlock/callback?slug=${slug}`;
  const { address, chainId, skipRecipient } = lock;
  return { url: locks.checkoutUrl({ lock: address, chainId, title: plan.name, message, redirectUri, skipRecipient }) };
}

/** Names the server, the plan and the buyer, and can be signed for nothing else. */
function messageFor(ctx: Context, plan: PlanForSale, subscriberId: string): string {
  return [
    `${new URL(ctx.settings.baseUrl).host} asks you to show that this wallet holds the membership you pay with.`,
    `Plan: ${plan.name}`,
    `For: ${subscriberId}`,
    `Nonce: ${ctx.random.id(24)}`,
    'Signing is free and sends no transaction.',
  ].join('\n');
}

async function keepCheckout(
  ctx: Context,
  provider: 'stripe' | 'unlock',
  { state, redirectUri }: { state: Record<string, unknown>; redirectUri?: string | undefined },
  bought: Partial<CheckoutRow>,
): Promise<{ row: CheckoutRow; slug: string }> {
  const target =
    redirectUri === undefined ? ctx.settings.baseUrl : await ownRedirectTarget(ctx, redirectUri, '/redirectUri');
  return ctx.tx(async (tx) => {
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
      lock_chain_id: null,
      lock_address: null,
      created_at: now,
      expires_at: new Date(now.getTime() + checkoutTtlSeconds * 1000),
      used_at: null,
      ...bought,
    };
    await insertCheckout(tx, row);
    return { row, slug };
  });
}

type Wanted = {
  title: string;
  price: { amount: number; currency: string };
  priceId?: string;
  recurring: boolean;
  confirmationMessage?: string;
};

async function startAtStripe(ctx: Context, row: CheckoutRow, slug: string, wanted: Wanted): Promise<{ url: string }> {
  if (ctx.cards === undefined) throw notSet('Card payments');
  const back = `${ctx.settings.baseUrl}/stripe/callback?slug=${slug}`;
  try {
    // The provider puts its own id of the session in the place of these words.
    const successUrl = `${back}&sessionId={CHECKOUT_SESSION_ID}`;
    const { url } = await ctx.cards.begin({
      ...wanted,
      id: row.id,
      successUrl,
      cancelUrl: back,
      expiresAt: row.expires_at,
    });
    return { url };
  } catch (error) {
    throw unavailable(error);
  }
}

export function unavailable(error: unknown): unknown {
  if (!(error instanceof PaymentsFailed)) return error;
  const words = 'The payment provider cannot be reached at the moment. Nothing was paid; try again shortly.';
  return new AppError('UNAVAILABLE', words, { retryAfterSeconds: 30, cause: error });
}

export function notSet(what: string): AppError {
  return notSetUp(`${what} are not set up on this server.`);
}
