import { hashSecret } from '@latchkey/db';
import { addSeconds, principalId } from '@latchkey/kernel';
import { keepState, ownRedirectTarget } from '../../identity/states/index.ts';
import type { Context } from '../../shared/context.ts';
import { type CheckoutRow, insertCheckout } from './checkout-queries.ts';

/** How long a customer has to pay and return. */
const checkoutTtlSeconds = 24 * 60 * 60;

interface Asked {
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
  { state = {}, redirectUri }: Asked,
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
