import { type Sql, sql, type Tx } from '@latchkey/db';
import type { BillingPeriod, Payment } from '../../ports/index.ts';

export interface SubscriptionRow {
  id: string;
  created_by_id: string;
  provider: 'stripe' | 'unlock';
  plan_id: string;
  subscriber_id: string;
  /** Whether it gives the subscriber the plan. */
  is_active: boolean;
  began_at: Date;
  paid_until: Date;
  cancel_on: Date | null;
  /** When to read the provider or the lock again. */
  check_at: Date | null;
  /** As the card provider calls it; null for a lock key. */
  status: string | null;
  past_due_since: Date | null;
  price_id: string | null;
  billing_period: BillingPeriod | null;
  amount: number | null;
  currency: string | null;
}

/** The card provider's fields of a subscription before it was read, or for a lock key. */
export const noTerms = {
  status: null,
  past_due_since: null,
  price_id: null,
  billing_period: null,
  amount: null,
  currency: null,
} as const;

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_subscriptions: SubscriptionRow;
    payment_ledger: {
      id: string;
      checkout_id: string | null;
      subscription_id: string | null;
      amount: number;
      currency: string;
      occurred_at: Date;
    };
    payment_events: { id: string; type: string; occurred_at: Date; received_at: Date };
  }
}

export function selectSubscription(db: Sql, id: string): Promise<SubscriptionRow | undefined> {
  return db.selectFrom('payment_subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
}

const running = ['active', 'trialing', 'past_due'];

/**
 * Lists a subscriber's card subscriptions that are active at the provider, oldest first, whether or not they give a
 * plan at the moment.
 */
export function selectRunning(db: Sql, subscriberId: string): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('payment_subscriptions')
    .selectAll()
    .where('provider', '=', 'stripe')
    .where('subscriber_id', '=', subscriberId)
    .where((eb) => eb.or([eb('status', 'in', running), eb.and([eb('status', 'is', null), eb('is_active', '=', true)])]))
    .orderBy('began_at')
    .orderBy('id')
    .execute();
}

export function selectSubscriptionsOf(db: Sql, payerId: string): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('payment_subscriptions')
    .selectAll()
    .where('created_by_id', '=', payerId)
    .orderBy('began_at', 'desc')
    .orderBy('id')
    .limit(mostShown)
    .execute();
}

const mostShown = 200;

/** Serializes everything that changes the plans of one subscriber. */
export async function lockSubscriber(tx: Tx, subscriberId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`payments:${subscriberId}`}, 0))`.execute(tx);
}

export function selectActiveOf(tx: Tx, subscriberId: string): Promise<SubscriptionRow[]> {
  return tx
    .selectFrom('payment_subscriptions')
    .selectAll()
    .where('subscriber_id', '=', subscriberId)
    .where('is_active', '=', true)
    .orderBy('began_at', 'desc')
    .orderBy('id')
    .execute();
}

/** Stores the current state of a subscription. Its payer and subscriber never change. */
export async function upsertSubscription(tx: Tx, row: SubscriptionRow): Promise<SubscriptionRow> {
  const { id: _id, created_by_id: _payer, subscriber_id: _subscriber, provider: _provider, ...changing } = row;
  return tx
    .insertInto('payment_subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function selectDue(db: Sql, now: Date, limit: number): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('payment_subscriptions')
    .selectAll()
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .execute();
}

export async function postpone(db: Sql, id: string, check: Date): Promise<void> {
  await db.updateTable('payment_subscriptions').set({ check_at: check }).where('id', '=', id).execute();
}

/** Records a payment or refund, once. */
export async function insertPayment(db: Sql, payment: Payment): Promise<void> {
  await db
    .insertInto('payment_ledger')
    .values({
      id: payment.id,
      checkout_id: payment.checkoutId ?? null,
      subscription_id: payment.subscriptionId ?? null,
      amount: payment.amount,
      currency: payment.currency,
      occurred_at: payment.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns false if the message was already stored. */
export async function insertEvent(
  tx: Tx,
  event: { id: string; type: string; occurred_at: Date; received_at: Date },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('payment_events')
    .values(event)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function deleteOldPayments(db: Sql, now: Date, eventsBefore: Date): Promise<void> {
  await db.deleteFrom('payment_checkouts').where('expires_at', '<=', now).where('plan_id', 'is', null).execute();
  await db.deleteFrom('payment_events').where('received_at', '<=', eventsBefore).execute();
}
