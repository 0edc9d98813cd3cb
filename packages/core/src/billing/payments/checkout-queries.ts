import type { Sql, Tx } from '@latchkey/db';
import type { GeneratedAlways } from 'kysely';
import type { LockAddress } from '../../ports/index.ts';

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
