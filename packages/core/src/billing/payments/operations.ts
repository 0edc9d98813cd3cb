import { enqueue, hashSecret } from '@latchkey/db';
import {
  type Access,
  AppError,
  app,
  inHeader,
  notFound,
  OpenObject,
  op,
  principalId,
  Redirect,
  rawBody,
  resource,
  T,
  user,
} from '@latchkey/kernel';
import {
  type CardPayments,
  type LockAddress,
  type PaymentSubject,
  PaymentsFailed,
  PaymentsRefused,
} from '../../ports/index.ts';
import { getPlanForSale, type PlanForSale, requireSelling } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { askingProvider, generateDonationLink, keepCheckout, notSet } from './begin-checkout.ts';
import { generateStripeCheckoutUrl, requireOffered } from './buy-plan.ts';
import { checkKey } from './check-key.ts';
import { openPortal } from './customer.ts';
import { CheckoutUrl, DonationRequest, SubscriptionRequest } from './payment-record.ts';
import {
  type CheckoutRow,
  insertEvent,
  noTerms,
  selectCheckoutBySlug,
  selectRunning,
  selectSubscription,
  upsertSubscription,
  useCheckout,
} from './queries.ts';
import { ownSubscriber, updateRights } from './subscriber.ts';
import { syncPayment } from './sync.ts';

/** Any caller may return from a payment; the slug identifies the checkout. */
const bySlug: Access = { roles: [], scopes: [] };

const planId = T.String({ description: 'The id of the plan, or its sk.', minLength: 1, maxLength: 69 });
const slug = T.Optional(T.String({ description: 'The id of the checkout.', minLength: 1, maxLength: 64 }));

export const payments = resource('payments', 'Buying plans by card or with an Unlock key, and donations.', [
  op(
    'GET /stripe/callback',
    {
      id: 'stripeCallback',
      sdk: 'StripeController.stripeCallback',
      summary: 'Handle the return from a card payment',
      description:
        'Stripe redirects buyers here. Redirects to the redirectUri of the checkout with `slug` (the state is at GET /states/{slug}) and `status`: success once Stripe reports it as paid, pending until then, otherwise cancelled. The plan is activated by Stripe’s webhook, not by this request.',
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
      summary: 'Create a donation checkout',
      description:
        'Returns the address of a page for donating by card, once or monthly. The link expires after 24 hours.',
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
        'Ends a plan that is paid by card at the end of the period that is paid for, but not before the plan’s minimum number of months (`minBuy`). The plan stays active until then. Returns the address of your billing portal if you are the payer.',
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
        'Returns the address of a checkout page for the plan, at the price and billing period that the plan shows, for one of your organizations or for a community that you administer. The link expires after 24 hours. The plan starts when Stripe reports the payment, and ends when payments stop. A subscriber never pays twice: if a subscription is active, the address is the page where you confirm the change, prorated by Stripe, or your billing portal if there is nothing to change. Use POST /latchkey/plans/{planId}/checkout for another billing period or currency.',
      access: user(),
      params: { planId },
      body: SubscriptionRequest,
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    generateStripeCheckoutUrl,
  ),
  op(
    'POST /stripe/webhook',
    {
      id: 'stripeWebhook',
      sdk: 'StripeController.stripeWebhook',
      summary: 'Receive a Stripe webhook',
      description:
        'Only for the card provider, which signs the exact bytes of the body. Each message is processed once, and only if its timestamp is within five minutes.',
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
      summary: 'Handle the return from an Unlock checkout',
      description:
        'The lock’s checkout page redirects buyers here, with their wallet and its signature. Redirects to the redirectUri of the checkout with `slug` and `status`: success, pending until the purchase is on the chain, cancelled, error, used, signature-invalid or key-in-use.',
      changes: true,
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
      summary: 'Buy a plan with an Unlock key',
      description:
        'Returns the address of a page where a key of any of the plan’s locks can be bought with a wallet, for one of your organizations or a community that you administer. The link expires after 24 hours. The plan lasts as long as the key is valid on its chain.',
      access: user(),
      params: { planId },
      body: SubscriptionRequest,
      returns: CheckoutUrl,
      errors: ['ENTITY_NOT_FOUND'],
    },
    generateUnlockCheckoutUrl,
  ),
]);

/** Receives a message of the card provider: stored once, together with the jobs that process it. */
export async function stripeWebhook(
  ctx: Context,
  { 'Stripe-Signature': signature, body }: { 'Stripe-Signature': string; body: Uint8Array },
): Promise<Record<string, unknown>> {
  if (ctx.cards === undefined) throw notSet('Card payments');
  const now = ctx.clock();
  const event = ctx.cards.readEvent(body, signature, now);
  if (event === undefined)
    throw new AppError('INVALID_CREDENTIAL', 'The signature does not match the body, the secret and the timestamp.');
  await ctx.db.transaction('system', async (tx) => {
    const { id, type, at, subject } = event;
    const isNew = await insertEvent(tx, { id, type, occurred_at: at, received_at: now });
    if (isNew && subject !== undefined) await enqueue(tx, syncPayment, subject, { key: subject.id });
  });
  return { received: true };
}

/** Returns the checkout URL for a plan that is bought as a key of any of its locks. */
async function generateUnlockCheckoutUrl(
  ctx: Context,
  { planId, body }: { planId: string; body: SubscriptionRequest },
): Promise<{ url: string }> {
  const { locks } = ctx;
  if (locks === undefined) throw notSet('Locks');
  requireSelling(ctx);
  const plan = await getPlanForSale(ctx, planId);
  if (plan.locks.length === 0)
    throw new AppError('VALIDATION_FAILED', `The plan ${plan.name} is not sold through a lock.`);
  const subscriberId = await ownSubscriber(ctx, plan, body.organizationId);
  requireOffered(plan, ctx.clock());
  const message = messageFor(ctx, plan, subscriberId);
  const { backUrl } = await keepCheckout(ctx, 'unlock', body, {
    plan_id: plan.id,
    subscriber_id: subscriberId,
    message,
    locks: plan.locks.map(({ address, chainId }) => ({ address: address.toLowerCase(), chainId })),
  });
  return { url: locks.checkoutUrl({ locks: plan.locks, title: plan.name, message, redirectUri: backUrl }) };
}

/**
 * Returns a text that names the server, the plan and the buyer, so that its signature cannot be used for anything else.
 */
function messageFor(ctx: Context, plan: PlanForSale, subscriberId: string): string {
  return [
    `${new URL(ctx.settings.baseUrl).host} asks you to prove that this wallet holds the membership you pay with.`,
    `Plan: ${plan.name}`,
    `For: ${subscriberId}`,
    `Nonce: ${ctx.random.id(24)}`,
    'Signing is free and sends no transaction.',
  ].join('\n');
}

/** Ends a subscription with the paid period, but not before the plan's minimum number of months. */
async function unsubscribe(
  ctx: Context,
  { planId, subscriberId }: { planId: string; subscriberId: string },
): Promise<CheckoutUrl> {
  const { cards } = ctx;
  if (cards === undefined) throw notSet('Card payments');
  const plan = await getPlanForSale(ctx, planId);
  const subscriber = await ownSubscriber(ctx, plan, subscriberId);
  const running = (await selectRunning(ctx.db.system, subscriber)).filter(({ plan_id }) => plan_id === plan.id);
  const [own] = running.filter(({ created_by_id }) => created_by_id === principalId(ctx.actor));
  if (running.length === 0) throw notFound('subscription');
  return askingProvider(async () => {
    for (const { id, began_at } of running) {
      await cards.cancel(id, addMonths(began_at, plan.minBuyMonths));
      await enqueue(ctx.db.system, syncPayment, { kind: 'subscription', id }, { key: id });
    }
    // The page shows cards and invoices, so only the payer gets its URL.
    return own === undefined ? {} : openPortal(ctx, cards, own.id);
  });
}

/** Returns the same day some months later, or the last day of a shorter month. */
function addMonths(date: Date, months: number): Date {
  const moved = new Date(date);
  moved.setUTCMonth(date.getUTCMonth() + months);
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0);
  return moved;
}

interface UnlockReturn {
  signature?: string;
  address?: string;
  error?: string;
  slug?: string;
}

/**
 * Verifies the signature of a wallet that bought a key, and grants the plan as soon as and as long as the key is valid.
 */
async function unlockCallback(ctx: Context, input: UnlockReturn): Promise<{ location: string }> {
  const { slug = '', error, signature, address } = input;
  const checkout = await findCheckout(ctx, 'unlock', input.slug);
  if (error !== undefined || signature === undefined || address === undefined)
    return onwards(checkout, slug, error === undefined ? 'cancelled' : 'error');
  if (checkout.used_at !== null) return onwards(checkout, slug, 'used');
  const account = await signerOf(ctx, checkout, address, signature);
  // The verdict consumes it, valid or not. While a chain is unavailable there is no verdict, and the page can be opened
  // again.
  if (!(await useCheckout(ctx.db.system, checkout.id, ctx.clock()))) return onwards(checkout, slug, 'used');
  if (account === undefined) return onwards(checkout, slug, 'signature-invalid');
  return onwards(checkout, slug, await takeKeys(ctx, checkout, account.toLowerCase()));
}

/** The page does not say which lock was used, so each is checked until one has a valid key. */
async function takeKeys(ctx: Context, checkout: CheckoutRow, account: string): Promise<string> {
  let isInUse = false;
  for (const { chainId, address } of checkout.locks ?? []) {
    const id = `${chainId}:${address}:${account}`;
    const known = await selectSubscription(ctx.db.system, id);
    // One key pays for one subscriber at a time.
    if (known?.is_active && known.subscriber_id !== checkout.subscriber_id) {
      isInUse = true;
      continue;
    }
    // A paying key stays unchanged: an unavailable chain must not end it.
    if (!known?.is_active) await keepKey(ctx, checkout, id);
    if (await checkKey(ctx, id)) return 'success';
  }
  return isInUse ? 'key-in-use' : 'pending';
}

/** Returns the wallet that signed. A contract wallet is verified on the chains of the locks. */
async function signerOf(
  ctx: Context,
  { locks, message }: CheckoutRow,
  address: string,
  signature: string,
): Promise<string | undefined> {
  let isUnknown = false;
  for (const chain of chainsOf(locks ?? [])) {
    const details = { scheme: 'eip191' };
    const verdict = await ctx.wallets.evm.verify({ chain, address, message: message ?? '', signature, details });
    if (verdict.kind === 'valid') return verdict.address;
    isUnknown ||= verdict.kind === 'unknown';
  }
  if (!isUnknown) return undefined;
  throw new AppError('UNAVAILABLE', 'The chain cannot be reached right now. Open this page again shortly.', {
    retryAfterSeconds: 30,
  });
}

function chainsOf(locks: readonly LockAddress[]): string[] {
  return [...new Set(locks.map(({ chainId }) => String(chainId)))];
}

async function keepKey(ctx: Context, checkout: CheckoutRow, id: string): Promise<void> {
  const { plan_id, subscriber_id, created_by_id } = checkout;
  if (plan_id === null || subscriber_id === null) throw new Error('A lock checkout is always for a plan.');
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    // The key of an earlier subscriber has expired: from now on it pays for the new one.
    await tx.deleteFrom('payment_subscriptions').where('id', '=', id).where('is_active', '=', false).execute();
    await upsertSubscription(tx, {
      id,
      created_by_id,
      provider: 'unlock',
      plan_id,
      subscriber_id,
      is_active: false,
      began_at: now,
      paid_until: now,
      cancel_on: null,
      check_at: now,
      ...noTerms,
    });
    await updateRights(ctx, tx, subscriber_id, new Set([plan_id]));
  });
}

type Outcome = 'success' | 'pending' | 'cancelled';

/** Redirects a customer who returns from paying to where they started, with the provider's result of the payment. */
async function stripeCallback(
  ctx: Context,
  { sessionId, slug }: { sessionId?: string; slug?: string },
): Promise<{ location: string }> {
  const checkout = await findCheckout(ctx, 'stripe', slug);
  const status = sessionId === undefined ? 'cancelled' : await outcomeOf(ctx, checkout, sessionId);
  return onwards(checkout, slug ?? '', status);
}

/** The URL can be forged: only the provider knows whether this checkout is paid. */
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

async function findCheckout(ctx: Context, provider: string, slug: string | undefined): Promise<CheckoutRow> {
  const found =
    slug === undefined ? undefined : await selectCheckoutBySlug(ctx.db.system, hashSecret(slug), ctx.clock());
  if (found?.provider !== provider) throw notFound('checkout');
  return found;
}

function onwards({ redirect_uri }: CheckoutRow, slug: string, status: string): { location: string } {
  const url = new URL(redirect_uri);
  url.searchParams.set('slug', slug);
  url.searchParams.set('status', status);
  return { location: url.href };
}
