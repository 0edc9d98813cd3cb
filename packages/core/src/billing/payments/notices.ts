import { createHash } from 'node:crypto';
import { enqueue, type Tx } from '@latchkey/db';
import { exponentialRetry, job, shape, T, type ValueOf } from '@latchkey/kernel';
import { type Mail, MailFailed, PaymentsRefused } from '../../ports/index.ts';
import { getPlanForSale, sellingSettings } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages as t } from '../../shared/messages/index.ts';
import { type DisputeRow, disputesOf, type SubscriptionRow, selectCustomer, selectSubscription } from './queries.ts';
import { graceEnd } from './subscription-state.ts';

interface PaymentNotice {
  kind: NoticeKind;
  about: string;
  to: string;
  row: SubscriptionRow;
  planName: string;
  graceDays: number;
}

/**
 * Names of communities and organizations are left out: the payer typed the address, and it may belong to someone else.
 */
function composeNotice({ serviceName, baseUrl }: Context['settings'], report: PaymentNotice): Mail {
  const { kind, about, to, row, planName } = report;
  const { title, lines } = texts[kind](report, t('payment.plan', { plan: planName, subscriber: row.subscriber_id }));
  const digest = createHash('sha256').update(`${row.id} ${kind} ${about}`).digest('hex').slice(0, 32);
  return {
    to,
    subject: t('mail.subject', { service: serviceName, title })
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .slice(0, 200),
    text: [
      ...lines,
      '',
      t('payment.manage', { url: `${baseUrl}/console` }),
      '',
      t('payment.why', { service: serviceName, url: baseUrl }),
      '',
    ].join('\n'),
    messageId: `<payment-${digest}@${new URL(baseUrl).hostname}>`,
  };
}

const texts: Record<NoticeKind, (report: PaymentNotice, plan: string) => { title: string; lines: string[] }> = {
  'payment-failed': ({ row, graceDays }, plan) => {
    const until = row.past_due_since === null ? undefined : graceEnd(row.past_due_since, graceDays);
    const amount = amountOf(row);
    return {
      title: t('payment.failed'),
      lines: [
        amount === undefined ? t('payment.failedFor', { plan }) : t('payment.failedAmount', { plan, amount }),
        row.is_active && until !== undefined ? t('payment.keptUntil', { day: day(until) }) : t('payment.paused'),
        t('payment.pay'),
      ],
    };
  },
  cancellation: ({ row }, plan) => ({
    title: t('payment.ends'),
    lines: [
      t('payment.canceled', { plan }),
      t('payment.endsOn', { day: day(row.cancel_on ?? row.paid_until) }),
      t('payment.keep'),
    ],
  }),
  dispute: ({ row }, plan) => {
    const amount = amountOf(row);
    return {
      title: t('payment.disputed'),
      lines: [
        amount === undefined ? t('payment.disputedFor', { plan }) : t('payment.disputedAmount', { plan, amount }),
        t('payment.disputePause'),
        t('payment.withdraw'),
      ],
    };
  },
};

function amountOf({ amount, currency }: SubscriptionRow): string | undefined {
  if (amount === null || currency === null) return undefined;
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

function day(date: Date): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

const Notice = shape(
  T.Object({
    subscriptionId: T.String({ minLength: 1, maxLength: 255 }),
    kind: T.Union([T.Literal('payment-failed'), T.Literal('cancellation'), T.Literal('dispute')]),
    about: T.String({ minLength: 1, maxLength: 255 }),
  }),
);
type Notice = ValueOf<typeof Notice>;

/** Returns what the payer should know about the state of a subscription. */
function noticesOf(row: SubscriptionRow, disputes: readonly DisputeRow[], now: Date): Notice[] {
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

/** Notifies the payer of changes, each once. The mail is a separate job, so that it never delays payment state. */
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

/**
 * Mails a payer about what is still true. The address is the one that the payer gave to the provider; it is not stored
 * here.
 */
export const mailPayer = job(
  'payments.mail-payer',
  { payload: Notice, retry: exponentialRetry(12, 2, 3600), timeoutSeconds: 120 },
  async (ctx: Context, notice) => {
    const { subscriptionId, kind, about } = notice;
    const log = ctx.log.for('payments');
    if (ctx.installation.mail === 'none')
      return log.info('Payer not notified: no mail server is configured.', { kind });
    const row = await selectSubscription(ctx.db.system, subscriptionId);
    if (row === undefined) return;
    const disputes = await disputesOf(ctx.db.system, subscriptionId);
    const isStillSo = noticesOf(row, disputes, ctx.clock()).some(
      (found) => found.kind === kind && found.about === about,
    );
    if (!isStillSo) return;
    try {
      const to = await findMailbox(ctx, row);
      if (to === undefined) return log.info('Payer not notified: the provider has no e-mail address.', { kind });
      const { name } = await getPlanForSale(ctx, row.plan_id);
      const { graceDays } = sellingSettings(ctx);
      await ctx.mailer.send(composeNotice(ctx.settings, { ...notice, to, row, planName: name, graceDays }));
    } catch (error) {
      const isFinal = error instanceof PaymentsRefused || (error instanceof MailFailed && !error.retryable);
      if (!isFinal) throw error;
      log.warn('An e-mail to a payer was permanently rejected.', { subscriptionId, kind });
    }
  },
);

async function findMailbox(ctx: Context, { created_by_id }: SubscriptionRow): Promise<string | undefined> {
  if (ctx.cards === undefined) throw new Error('Card payments are not set up; an e-mail to a payer is pending.');
  const customerId = await selectCustomer(ctx.db.system, created_by_id);
  return customerId === undefined ? undefined : ctx.cards.mailboxOf(customerId);
}

/** The subject of a mail to the payer. */
type NoticeKind = 'payment-failed' | 'cancellation' | 'dispute';

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_notices: { subscription_id: string; kind: NoticeKind; about: string; noted_at: Date };
  }
}

/** Returns false if the payer was already notified. */
async function insertNotice(
  tx: Tx,
  { subscriptionId, kind, about, now }: { subscriptionId: string; kind: NoticeKind; about: string; now: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('payment_notices')
    .values({ subscription_id: subscriptionId, kind, about, noted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
