import { enqueue } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { notSet } from './provider-errors.ts';
import { insertEvent } from './queries.ts';
import { syncPayment } from './sync.ts';

/** Takes a message of the card provider: kept once, together with the work that follows from it. */
export async function stripeWebhook(
  ctx: Context,
  { 'Stripe-Signature': signature, body }: { 'Stripe-Signature': string; body: Uint8Array },
): Promise<Record<string, unknown>> {
  if (ctx.cards === undefined) throw notSet('Card payments');
  const now = ctx.clock();
  const event = ctx.cards.readEvent(body, signature, now);
  if (event === undefined)
    throw new AppError('INVALID_CREDENTIAL', 'The signature is not of this body, this secret and this time.');
  await ctx.db.transaction('system', async (tx) => {
    const { id, type, at, subject } = event;
    const isNew = await insertEvent(tx, { id, type, occurred_at: at, received_at: now });
    if (isNew && subject !== undefined) await enqueue(tx, syncPayment, subject, { key: subject.id });
  });
  return { received: true };
}
