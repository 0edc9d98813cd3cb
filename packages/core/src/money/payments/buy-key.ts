import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getPlanForSale, type PlanForSale, requireSelling } from '../plans/index.ts';
import { keepCheckout } from './begin-checkout.ts';
import { requireOffered } from './buy-plan.ts';
import type { SubscriptionRequest } from './payment-record.ts';
import { notSet } from './provider-errors.ts';
import { ownSubscriber } from './subscriber.ts';

/** The address at which a plan is bought as a key of any of its locks. */
export async function generateUnlockCheckoutUrl(
  ctx: Context,
  { planId, body }: { planId: string; body: SubscriptionRequest },
): Promise<{ url: string }> {
  const { locks } = ctx;
  if (locks === undefined) throw notSet('Locks');
  requireSelling(ctx);
  const plan = await getPlanForSale(ctx, planId);
  if (plan.locks.length === 0) throw new AppError('VALIDATION_FAILED', `The plan ${plan.name} is not sold by a lock.`);
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
