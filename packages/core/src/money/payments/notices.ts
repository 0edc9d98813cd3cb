import { enqueue, type Tx } from '@latchkey/db';
import { exponentialRetry, job, shape, T, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { MailFailed, PaymentsRefused } from '../../ports/index.ts';
import { getPlanForSale, sellingSettings } from '../plans/index.ts';
import { selectCustomer } from './customer-queries.ts';
import { type DisputeRow, disputesOf } from './dispute-queries.ts';
import { insertNotice } from './notice-queries.ts';
import { composeNotice } from './notice-texts.ts';
import { type SubscriptionRow, selectSubscription } from './queries.ts';

const Notice = shape(
  T.Object({
    subscriptionId: T.String({ minLength: 1, maxLength: 255 }),
    kind: T.Union([T.Literal('payment-failed'), T.Literal('cancellation'), T.Literal('dispute')]),
    about: T.String({ minLength: 1, maxLength: 255 }),
  }),
);
type Notice = ValueOf<typeof Notice>;

/** What the payer should know of how a subscription stands. */
export function noticesOf(row: SubscriptionRow, disputes: readonly DisputeRow[], now: Date): Notice[] {
  const { id: subscriptionId, past_due_since, cancel_on, is_active } = row;
  const open = disputes.filter(({ outcome }) => outcome === 'open');
  return [
    ...(past_due_since === null
      ? []
      : [{ subscriptionId, kind: 'payment-failed' as const, about: past_due_since.toISOString() }]),
    ...(cancel_on === null || !is_active || cancel_on <= now
      ? []
      : [{ subscriptionId, kind: 'cancellation' as const, about: cancel_on.toISOString() }]),
    ...open.map(({ id }) => ({ subscriptionId, kind: 'dispute' as const, about: id })),
  ];
}

/** Has the payer told what is new, each thing once. The mail is a job of its own: it never holds up what money decides. */
export async function noteForPayer(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  row: SubscriptionRow,
  disputes: readonly DisputeRow[],
): Promise<void> {
  const now = ctx.clock();
  for (const notice of noticesOf(row, disputes, now)) {
    if (!(await insertNotice(tx, { ...notice, now }))) continue;
    await enqueue(tx, mailPayer, notice);
  }
}

/** Mails a payer what is still so. The address is the one that the payer gave to the provider; it is not kept here. */
export const mailPayer = job(
  'payments.mail-payer',
  { payload: Notice, retry: exponentialRetry(12, 2, 3600), timeoutSeconds: 120 },
  async (ctx: Context, notice) => {
    const { subscriptionId, kind, about } = notice;
    const log = ctx.log.for('payments');
    if (ctx.installation.mail === 'none') return log.info('A payer is not mailed: no mail server is set.', { kind });
    const row = await selectSubscription(ctx.db.system, subscriptionId);
    if (row === undefined) return;
    const disputes = await disputesOf(ctx.db.system, subscriptionId);
    const isStillSo = noticesOf(row, disputes, ctx.clock()).some(
      (found) => found.kind === kind && found.about === about,
    );
    if (!isStillSo) return;
    try {
      const to = await findMailbox(ctx, row);
      if (to === undefined) return log.info('A payer is not mailed: the provider knows no address.', { kind });
      const { name } = await getPlanForSale(ctx, row.plan_id);
      const { graceDays } = sellingSettings(ctx);
      await ctx.mailer.send(composeNotice(ctx.settings, { ...notice, to, row, planName: name, graceDays }));
    } catch (error) {
      const isFinal = error instanceof PaymentsRefused || (error instanceof MailFailed && !error.retryable);
      if (!isFinal) throw error;
      log.warn('A mail to a payer was refused for good.', { subscriptionId, kind });
    }
  },
);

async function findMailbox(ctx: Context, { created_by_id }: SubscriptionRow): Promise<string | undefined> {
  if (ctx.cards === undefined) throw new Error('Card payments are not set up; a mail to a payer waits.');
  const customerId = await selectCustomer(ctx.db.system, created_by_id);
  return customerId === undefined ? undefined : ctx.cards.mailboxOf(customerId);
}
