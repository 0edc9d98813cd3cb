import { enqueue } from '@latchkey/db';
import { addDays, addMs, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { checkKey } from './check-key.ts';
import { mailPayer } from './notices.ts';
import { deleteOldPayments, postpone, selectDue } from './queries.ts';
import { endSubscription, forgetCustomer } from './subscription-state.ts';
import { syncPayment } from './sync.ts';

const Nothing = shape(T.Record(T.String(), T.Never()));
const dueAtOnce = 500;
/** How soon a card subscription is read again, unless the response says otherwise. */
const againMs = 60 * 60 * 1000;
/** Providers resend an event for some days; after that its id need not be remembered. */
const eventDays = 90;

export const checkKeys = job(
  'payments.check-keys',
  { payload: Nothing, timeoutSeconds: 300 },
  async (ctx: Context, _payload, { signal }) => {
    const now = ctx.clock();
    for (const { id, provider } of await selectDue(ctx.db.system, now, dueAtOnce)) {
      if (signal.aborted) return;
      if (provider === 'unlock') await checkKey(ctx, id);
      else await checkSubscription(ctx, id, addMs(now, againMs));
    }
  },
);

/** The grace period of a failed payment is over: reads the subscription's current state from the provider. */
async function checkSubscription(ctx: Context, id: string, again: Date): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    await enqueue(tx, syncPayment, { kind: 'subscription', id }, { key: id });
    await postpone(tx, id, again);
  });
}

export const removeOldPayments = job('payments.remove-old', { payload: Nothing }, async (ctx: Context) => {
  const now = ctx.clock();
  await deleteOldPayments(ctx.db.system, now, addDays(now, -eventDays));
});

export const paymentJobs = [
  syncPayment,
  endSubscription,
  forgetCustomer,
  mailPayer,
  checkKeys,
  removeOldPayments,
] as const;

export const paymentSchedules: readonly Schedule[] = [
  { name: 'payments.check-keys', cron: '* * * * *', job: checkKeys },
  { name: 'payments.remove-old', cron: '23 4 * * *', job: removeOldPayments },
];
