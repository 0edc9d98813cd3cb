import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { endSubscription } from './end-subscription.ts';
import { lookAtKey } from './look-at-key.ts';
import { deleteOldPayments, selectDueKeys } from './queries.ts';
import { syncPayment } from './sync.ts';

const Nothing = shape(T.Record(T.String(), T.Never()));
const keysAtOnce = 500;
/** Providers send an event again for some days; after that its id need not be remembered. */
const eventDays = 90;

export const lookAtKeys = job(
  'payments.look-at-keys',
  { payload: Nothing, timeoutSeconds: 300 },
  async (ctx: Context, _payload, { signal }) => {
    for (const { id } of await selectDueKeys(ctx.db.system, ctx.clock(), keysAtOnce)) {
      if (signal.aborted) return;
      await lookAtKey(ctx, id);
    }
  },
);

export const removeOldPayments = job('payments.remove-old', { payload: Nothing }, async (ctx: Context) => {
  const now = ctx.clock();
  await deleteOldPayments(ctx.db.system, now, new Date(now.getTime() - eventDays * 24 * 60 * 60 * 1000));
});

export const paymentJobs = [syncPayment, endSubscription, lookAtKeys, removeOldPayments] as const;

export const paymentSchedules: readonly Schedule[] = [
  { name: 'payments.look-at-keys', cron: '* * * * *', job: lookAtKeys },
  { name: 'payments.remove-old', cron: '23 4 * * *', job: removeOldPayments },
];
