import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { sellingSettings } from '../plans/index.ts';
import type { PaidPlan } from './payment-record.ts';
import { type SubscriptionRow, selectSubscriptionsOf } from './queries.ts';
import { graceEnd } from './standing.ts';

/** Everything that the caller pays or paid for, the newest first. */
export async function listMySubscriptions(ctx: Context): Promise<PaidPlan[]> {
  const rows = await ctx.tx((tx) => selectSubscriptionsOf(tx, principalId(ctx.actor)));
  return rows.map((row) => toPaidPlan(row, sellingSettings(ctx).graceDays));
}

function toPaidPlan(row: SubscriptionRow, graceDays: number): PaidPlan {
  return {
    id: row.id,
    provider: row.provider,
    planId: row.plan_id,
    subscriberId: row.subscriber_id,
    isActive: row.is_active,
    status: row.status ?? (row.is_active ? 'active' : 'ended'),
    beganAt: row.began_at.toISOString(),
    paidUntil: row.paid_until.toISOString(),
    endsAt: row.cancel_on?.toISOString(),
    graceUntil: row.past_due_since === null ? undefined : graceEnd(row.past_due_since, graceDays).toISOString(),
    billingPeriod: row.billing_period ?? undefined,
    amount: row.amount ?? undefined,
    currency: row.currency ?? undefined,
  };
}
