import { job, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

const id = T.String({ minLength: 1, maxLength: 255 });

/** Ends a card subscription immediately: the user is gone, the payment was refunded, or it was bought twice. */
export const endSubscription = job(
  'payments.end',
  { payload: shape(T.Object({ id, isCredited: T.Optional(T.Boolean()) })), timeoutSeconds: 120 },
  async (ctx: Context, payload) => {
    if (ctx.cards === undefined) throw new Error('Card payments are not set up; a subscription cannot be ended yet.');
    await ctx.cards.end(payload.id, { isCredited: payload.isCredited ?? false });
  },
);

/** Deletes an erased user at the provider. */
export const forgetCustomer = job(
  'payments.forget-customer',
  { payload: shape(T.Object({ id })), timeoutSeconds: 120 },
  async (ctx: Context, payload) => {
    if (ctx.cards === undefined) throw new Error('Card payments are not set up; a customer cannot be deleted yet.');
    await ctx.cards.forgetCustomer(payload.id);
  },
);
