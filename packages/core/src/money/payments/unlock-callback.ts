import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lookAtKey } from './look-at-key.ts';
import { type CheckoutRow, selectSubscription, upsertSubscription, useCheckout } from './queries.ts';
import { findCheckout, onwards } from './stripe-callback.ts';
import { settleRights } from './subscriber.ts';

export interface UnlockReturn {
  signature?: string;
  address?: string;
  error?: string;
  slug?: string;
}

/** Takes the signature of a wallet that bought a key, and gives the plan as soon as and as long as the key is good. */
export async function unlockCallback(ctx: Context, input: UnlockReturn): Promise<{ location: string }> {
  const { slug = '', error, signature, address } = input;
  const checkout = await findCheckout(ctx, 'unlock', input.slug);
  if (error !== undefined || signature === undefined || address === undefined)
    return onwards(checkout, slug, error === undefined ? 'cancelled' : 'error');
  // Used up before the signature is looked at.
  if (!(await useCheckout(ctx.db.system, checkout.id, ctx.clock()))) return onwards(checkout, slug, 'used');
  const account = await signerOf(ctx, checkout, address, signature);
  if (account === undefined) return onwards(checkout, slug, 'signature-invalid');
  const id = `${checkout.lock_chain_id}:${checkout.lock_address}:${account.toLowerCase()}`;
  const known = await selectSubscription(ctx.db.system, id);
  // One key pays for one subscriber at a time.
  const isTaken = known?.is_active && known.subscriber_id !== checkout.subscriber_id;
  if (isTaken) return onwards(checkout, slug, 'key-in-use');
  // A key that pays already stays as it is: what the chain cannot say just now must not end it.
  if (!known?.is_active) await keepKey(ctx, checkout, id);
  const isGood = await lookAtKey(ctx, id);
  return onwards(checkout, slug, isGood ? 'success' : 'pending');
}

async function signerOf(
  ctx: Context,
  { lock_chain_id, message }: CheckoutRow,
  address: string,
  signature: string,
): Promise<string | undefined> {
  const proof = {
    chain: String(lock_chain_id),
    address,
    message: message ?? '',
    signature,
    details: { scheme: 'eip191' },
  };
  const verdict = await ctx.wallets.evm.verify(proof);
  if (verdict.kind === 'unknown')
    throw new AppError('UNAVAILABLE', 'The chain cannot be asked about this wallet at the moment. Buy again shortly.', {
      retryAfterSeconds: 30,
    });
  return verdict.kind === 'valid' ? verdict.address : undefined;
}

async function keepKey(ctx: Context, checkout: CheckoutRow, id: string): Promise<void> {
  const { plan_id, subscriber_id, created_by_id } = checkout;
  if (plan_id === null || subscriber_id === null) throw new Error('A checkout at a lock is always for a plan.');
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    // An old subscriber whose key ran out makes way: the key pays for somebody else from now on.
    await tx.deleteFrom('payment_subscriptions').where('id', '=', id).where('is_active', '=', false).execute();
    const row = await upsertSubscription(tx, {
      id,
      created_by_id,
      provider: 'unlock',
      plan_id,
      subscriber_id,
      is_active: false,
      began_at: now,
      paid_until: now,
      cancel_on: null,
      look_at: now,
    });
    await settleRights(ctx, tx, row);
  });
}
