import type { Sql } from '@latchkey/db';
import type { Dispute } from '../../ports/index.ts';

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
