import { job, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';

/** Ends a subscription by card at once, for somebody who is gone. */
export const endSubscription = job(
  'payments.end',
  { payload: shape(T.Object({ id: T.String({ minLength: 1, maxLength: 255 }) })), timeoutSeconds: 120 },
  async (ctx: Context, { id }) => {
    if (ctx.cards === undefined) throw new Error('Card payments are not set up; a subscription waits to be ended.');
    await ctx.cards.cancel(id, ctx.clock(), ctx.settings.baseUrl);
  },
);
