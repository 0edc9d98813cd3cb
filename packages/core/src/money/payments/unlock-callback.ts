import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { LockAddress } from '../../ports/index.ts';
import { type CheckoutRow, useCheckout } from './checkout-queries.ts';
import { lookAtKey } from './look-at-key.ts';
import { selectSubscription, unsaid, upsertSubscription } from './queries.ts';
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
  if (checkout.used_at !== null) return onwards(checkout, slug, 'used');
  const account = await signerOf(ctx, checkout, address, signature);
  // Used up by the verdict, right or wrong. While a chain cannot be asked there is none, and the page can be opened again.
  if (!(await useCheckout(ctx.db.system, checkout.id, ctx.clock()))) return onwards(checkout, slug, 'used');
  if (account === undefined) return onwards(checkout, slug, 'signature-invalid');
  return onwards(checkout, slug, await takeKeys(ctx, checkout, account.toLowerCase()));
}

/** The page does not say which lock was bought from, so each is asked until one knows of a good key. */
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
    // A key that pays already stays as it is: what the chain cannot say just now must not end it.
    if (!known?.is_active) await keepKey(ctx, checkout, id);
    if (await lookAtKey(ctx, id)) return 'success';
  }
  return isInUse ? 'key-in-use' : 'pending';
}

/** The wallet that signed. One that is a contract is asked on the chains of the locks. */
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
  throw new AppError(
    'UNAVAILABLE',
    'The chain cannot be asked about this wallet at the moment. Open this page again shortly.',
    {
      retryAfterSeconds: 30,
    },
  );
}

function chainsOf(locks: readonly LockAddress[]): string[] {
  return [...new Set(locks.map(({ chainId }) => String(chainId)))];
}

async function keepKey(ctx: Context, checkout: CheckoutRow, id: string): Promise<void> {
  const { plan_id, subscriber_id, created_by_id } = checkout;
  if (plan_id === null || subscriber_id === null) throw new Error('A checkout at a lock is always for a plan.');
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    // An old subscriber whose key ran out makes way: the key pays for somebody else from now on.
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
      look_at: now,
      ...unsaid,
    });
    await settleRights(ctx, tx, subscriber_id, new Set([plan_id]));
  });
}
