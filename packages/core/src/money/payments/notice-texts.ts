import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Mail } from '../../ports/index.ts';
import type { NoticeKind } from './notice-queries.ts';
import type { SubscriptionRow } from './queries.ts';
import { graceEnd } from './standing.ts';

interface Told {
  kind: NoticeKind;
  about: string;
  to: string;
  row: SubscriptionRow;
  planName: string;
  graceDays: number;
}

/** Names of communities and organizations are left out: the address is one that the payer typed, and may be a stranger's. */
export function composeNotice({ serviceName, baseUrl }: Context['settings'], told: Told): Mail {
  const { kind, about, to, row, planName } = told;
  const { title, lines } = texts[kind](told, `the ${planName} plan for ${row.subscriber_id}`);
  const digest = createHash('sha256').update(`${row.id} ${kind} ${about}`).digest('hex').slice(0, 32);
  return {
    to,
    subject: `${serviceName}: ${title}`.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 200),
    text: [
      ...lines,
      '',
      `Your plans, cards and invoices: ${baseUrl}/console`,
      '',
      `You get this mail because this address pays for a plan at ${serviceName} (${baseUrl}).`,
      '',
    ].join('\n'),
    messageId: `<payment-${digest}@${new URL(baseUrl).hostname}>`,
  };
}

const texts: Record<NoticeKind, (told: Told, what: string) => { title: string; lines: string[] }> = {
  'payment-failed': ({ row, graceDays }, what) => {
    const until = row.past_due_since === null ? undefined : graceEnd(row.past_due_since, graceDays);
    return {
      title: 'your payment failed',
      lines: [
        `The payment${sum(row)} for ${what} failed.`,
        row.is_active && until !== undefined
          ? `You keep the plan until ${day(until)}. If the payment has not succeeded by then, the plan is paused until it does.`
          : 'The plan is paused until the payment succeeds.',
        'Check your card, or pay the open invoice.',
      ],
    };
  },
  cancellation: ({ row }, what) => ({
    title: 'your subscription ends',
    lines: [
      `Your subscription to ${what} was canceled.`,
      `You keep the plan until ${day(row.cancel_on ?? row.paid_until)}. You will not be charged after that.`,
      'To keep the plan, choose it again before that day.',
    ],
  }),
  dispute: ({ row }, what) => ({
    title: 'a payment is disputed',
    lines: [
      `Your bank has told us that a payment${sum(row)} for ${what} is disputed.`,
      'The plan is paused until the dispute is decided. If it is decided in your favor, the subscription ends.',
      'If you did not mean to dispute the payment, ask your bank to withdraw the dispute.',
    ],
  }),
};

function sum({ amount, currency }: SubscriptionRow): string {
  if (amount === null || currency === null) return '';
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return ` of ${format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))}`;
}

function day(date: Date): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}
