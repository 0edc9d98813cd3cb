import { hashSecret } from '@latchkey/db';
import { principalId } from '@latchkey/kernel';
import { type CardPayments, CustomerGone } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { deleteCustomer, insertCustomer, selectCustomer } from './customer-queries.ts';

/**
 * Runs an action with the caller as a customer of the provider. Each user is one customer there, so that one page shows
 * everything they pay for. A customer that the operator deleted at the provider is replaced.
 */
export async function withCustomer<T>(
  ctx: Context,
  cards: CardPayments,
  work: (customerId: string) => Promise<T>,
): Promise<T> {
  const customerId = await findOrCreate(ctx, cards);
  try {
    return await work(customerId);
  } catch (error) {
    if (!(error instanceof CustomerGone)) throw error;
    await deleteCustomer(ctx.db.system, customerId);
    return work(await findOrCreate(ctx, cards, customerId));
  }
}

/** Returns the caller's customer id; undefined if they never paid. */
export function findCustomer(ctx: Pick<Context, 'actor' | 'db'>): Promise<string | undefined> {
  return selectCustomer(ctx.db.system, principalId(ctx.actor));
}

async function findOrCreate(ctx: Context, cards: CardPayments, replaced = ''): Promise<string> {
  const payerId = principalId(ctx.actor);
  const known = await selectCustomer(ctx.db.system, payerId);
  if (known !== undefined) return known;
  // Concurrent requests use the same idempotency key, and get the same customer. The provider learns none of our ids.
  const id = await cards.createCustomer(hashSecret(`${ctx.settings.baseUrl} ${payerId} ${replaced}`));
  return insertCustomer(ctx.db.system, { created_by_id: payerId, id, created_at: ctx.clock() });
}
