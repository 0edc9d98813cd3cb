import { type Sql, sql, type Tx } from '@latchkey/db';
import type { GeneratedAlways } from 'kysely';
import type { BillingPeriod, Dispute, LockAddress, Payment } from '../../ports/index.ts';
import type { LedgerCheck } from '../../shared/module.ts';

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

interface CustomerRow {
  created_by_id: string;
  id: string;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_customers: CustomerRow;
  }
}

export async function selectCustomer(db: Sql, payerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('payment_customers')
    .select('id')
    .where('created_by_id', '=', payerId)
    .executeTakeFirst();
  return row?.id;
}

/** Stores a payer's id at the provider; the first one is kept. */
export async function insertCustomer(db: Sql, row: CustomerRow): Promise<string> {
  await db
    .insertInto('payment_customers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await selectCustomer(db, row.created_by_id)) ?? row.id;
}

export async function deleteCustomer(db: Sql, id: string): Promise<void> {
  await db.deleteFrom('payment_customers').where('id', '=', id).execute();
}

export interface DisputeRow {
  id: string;
  subscription_id: string | null;
  charge_id: string;
  /** As the provider calls it. */
  status: string;
  outcome: Dispute['outcome'];
  amount: number;
  currency: string;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_disputes: DisputeRow;
  }
}

export async function upsertDispute(db: Sql, row: DisputeRow): Promise<void> {
  const { status, outcome, amount, subscription_id, updated_at } = row;
  await db
    .insertInto('payment_disputes')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ status, outcome, amount, subscription_id, updated_at }),
    )
    .execute();
}

export function disputesOf(db: Sql, subscriptionId: string): Promise<DisputeRow[]> {
  return db.selectFrom('payment_disputes').selectAll().where('subscription_id', '=', subscriptionId).execute();
}

export interface CheckoutRow {
  id: string;
  slug_hash: string;
  created_by_id: string;
  provider: 'stripe' | 'unlock';
  plan_id: string | null;
  subscriber_id: string | null;
  redirect_uri: string;
  message: string | null;
  /** The checkout at the card provider. */
  session_id: string | null;
  /** The active subscription to change. */
  subscription_id: string | null;
  price_id: string | null;
  locks: LockAddress[] | null;
  created_at: Date;
  expires_at: Date;
  /** When a signature was accepted, or the checkout was closed in favor of a newer one. */
  used_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_checkouts: CheckoutRow & { begun: GeneratedAlways<number> };
  }
}

export async function insertCheckout(tx: Tx, { locks, ...row }: CheckoutRow): Promise<void> {
  // The driver would write a PostgreSQL array instead of JSON.
  const json = locks === null ? null : (JSON.stringify(locks) as unknown as LockAddress[]);
  await tx
    .insertInto('payment_checkouts')
    .values({ ...row, locks: json })
    .execute();
}

export function selectCheckout(db: Sql, id: string): Promise<CheckoutRow | undefined> {
  return db.selectFrom('payment_checkouts').selectAll().where('id', '=', id).executeTakeFirst();
}

export function selectCheckoutBySlug(db: Sql, slugHash: string, now: Date): Promise<CheckoutRow | undefined> {
  return db
    .selectFrom('payment_checkouts')
    .selectAll()
    .where('slug_hash', '=', slugHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export async function setSession(db: Sql, id: string, sessionId: string): Promise<void> {
  await db.updateTable('payment_checkouts').set({ session_id: sessionId }).where('id', '=', id).execute();
}

/** Lists a subscriber's open card checkouts, newest first. */
export function selectOpenCheckouts(db: Sql, subscriberId: string, now: Date) {
  return db
    .selectFrom('payment_checkouts')
    .select(['id', 'plan_id', 'session_id'])
    .where('subscriber_id', '=', subscriberId)
    .where('session_id', 'is not', null)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('begun', 'desc')
    .execute();
}

/** Consumes a checkout; false if it was already consumed. */
export async function useCheckout(db: Sql, id: string, now: Date): Promise<boolean> {
  const used = await db
    .updateTable('payment_checkouts')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

/** Nobody is refunded more than they paid. */
export const paymentLedgerCheck: LedgerCheck = {
  rows: 'payments and refunds',
  countRows: 'select count(*) from payment_ledger',
  exceptions: 'subscriptions with more refunds than payments',
  countExceptions: `select count(*) from (select from payment_ledger where subscription_id is not null
    group by subscription_id, currency having sum(amount) < 0) as s`,
};
