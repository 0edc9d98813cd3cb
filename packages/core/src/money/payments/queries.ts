import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Payment } from '../../ports/index.ts';

export interface CheckoutRow {
  id: string;
  slug_hash: string;
  created_by_id: string;
  provider: 'stripe' | 'unlock';
  plan_id: string | null;
  subscriber_id: string | null;
  redirect_uri: string;
  message: string | null;
  lock_chain_id: number | null;
  lock_address: string | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

export interface SubscriptionRow {
  id: string;
  created_by_id: string;
  provider: 'stripe' | 'unlock';
  plan_id: string;
  subscriber_id: string;
  is_active: boolean;
  began_at: Date;
  paid_until: Date;
  cancel_on: Date | null;
  look_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_checkouts: CheckoutRow;
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

export async function insertCheckout(tx: Tx, row: CheckoutRow): Promise<void> {
  await tx.insertInto('payment_checkouts').values(row).execute();
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

/** Uses a checkout up; false when that was done before. */
export async function useCheckout(db: Sql, id: string, now: Date): Promise<boolean> {
  const used = await db
    .updateTable('payment_checkouts')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

export function selectSubscription(db: Sql, id: string): Promise<SubscriptionRow | undefined> {
  return db.selectFrom('payment_subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The subscription of a plan that a subscriber has or had, the running one first. */
export function selectSubscriptionOf(
  db: Sql,
  provider: SubscriptionRow['provider'],
  subscriberId: string,
  planId: string,
): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('payment_subscriptions')
    .selectAll()
    .where('provider', '=', provider)
    .where('subscriber_id', '=', subscriberId)
    .where('plan_id', '=', planId)
    .orderBy('is_active', 'desc')
    .orderBy('began_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Everything that changes the rights of one subscriber happens one after the other. */
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

/** Keeps what is known of a subscription now. Whose it is never changes. */
export async function upsertSubscription(tx: Tx, row: SubscriptionRow): Promise<SubscriptionRow> {
  const { is_active, began_at, paid_until, cancel_on, look_at } = row;
  return tx
    .insertInto('payment_subscriptions')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ is_active, began_at, paid_until, cancel_on, look_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function selectDueKeys(db: Sql, now: Date, limit: number): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('payment_subscriptions')
    .selectAll()
    .where('look_at', '<=', now)
    .orderBy('look_at')
    .limit(limit)
    .execute();
}

export async function postponeKey(db: Sql, id: string, lookAt: Date): Promise<void> {
  await db.updateTable('payment_subscriptions').set({ look_at: lookAt }).where('id', '=', id).execute();
}

/** Writes a movement of money down, once. */
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

/** False when the message was there already. */
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
